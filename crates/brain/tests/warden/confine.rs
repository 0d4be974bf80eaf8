//! What `countersign confine` is in the real program.

fn main() -> std::process::ExitCode {
    brain::confine::main(std::env::args_os().skip(1))
}
