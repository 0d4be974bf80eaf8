mod crashes;
mod stage;
mod steps;
mod unsettled;
