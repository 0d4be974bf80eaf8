mod crashes;
mod stage;
mod unsettled;
mod steps;
