mod crashes;
mod stage;
mod steps;
