mod finders;
mod markers;
mod planning;
mod properties;
mod stage;
mod texts;
