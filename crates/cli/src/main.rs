//! The program itself is the library beside this file.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Trees of syntax are millions of small allocations from several threads; those of the parsers, which are C, go there,
/// too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    countersign::run()
}
