pub(crate) mod forge;
mod publishing;
