mod forge;
mod publishing;
