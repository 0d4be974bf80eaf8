mod budgets;
mod legs;
mod properties;
mod stage;
