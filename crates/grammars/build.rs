//! Compiles each grammar without its two parse tables, and stores the tables compressed.
//!
//! The tables of all languages take 27 MB in a program, compressed they take less than 2 MB. The C code gets arrays
//! without content instead, which `src/lib.rs` fills when a language is used for the first time.

use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The package of each grammar, and its folder with `parser.c`.
const GRAMMARS: [(&str, &str); 16] = [
    ("tree-sitter-bash", "src"),
    ("tree-sitter-c", "src"),
    ("tree-sitter-c-sharp", "src"),
    ("tree-sitter-cpp", "src"),
    ("tree-sitter-go", "src"),
    ("tree-sitter-java", "src"),
    ("tree-sitter-javascript", "src"),
    ("tree-sitter-kotlin-ng", "src"),
    ("tree-sitter-php", "php/src"),
    ("tree-sitter-python", "src"),
    ("tree-sitter-ruby", "src"),
    ("tree-sitter-rust", "src"),
    ("tree-sitter-scala", "src"),
    ("tree-sitter-swift", "src"),
    ("tree-sitter-typescript", "typescript/src"),
    ("tree-sitter-typescript", "tsx/src"),
];

type BuildResult<T> = Result<T, Box<dyn Error>>;
type TableReader = fn(&str, &NamedNumbers<'_>) -> BuildResult<Vec<u16>>;

fn main() -> BuildResult<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let output = PathBuf::from(env::var("OUT_DIR")?);
    let manifests = list_manifests(&output)?;
    let mut declarations = String::new();
    for (package, folder) in GRAMMARS {
        let sources = find_package(&manifests, package)?.join(folder);
        let declaration = build_grammar(&sources, &output)
            .map_err(|error| format!("the grammar in {}: {error}", sources.display()))?;
        declarations.push_str(&declaration);
    }
    fs::write(output.join("grammars.rs"), declarations)?;
    Ok(())
}

/// The manifests of the grammars' packages. Cargo does not say where they are, unless it is asked about a package that
/// depends on nothing else. (About this workspace it answers only once all of its test dependencies are downloaded.)
fn list_manifests(output: &Path) -> BuildResult<Vec<PathBuf>> {
    let crate_folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let probe = output.join("probe");
    fs::create_dir_all(probe.join("src"))?;
    fs::write(probe.join("src/lib.rs"), "")?;
    fs::copy(crate_folder.join("../../Cargo.lock"), probe.join("Cargo.lock"))?;
    let mut manifest = "[workspace]\n[package]\nname = \"probe\"\n[dependencies]\n".to_owned();
    for package in BTreeSet::from(GRAMMARS.map(|(package, _)| package)) {
        manifest.push_str(&format!("{package} = \"*\"\n"));
    }
    fs::write(probe.join("Cargo.toml"), manifest)?;
    let output = Command::new(env::var_os("CARGO").ok_or("CARGO is not set")?)
        .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(probe.join("Cargo.toml"))
        .current_dir(crate_folder)
        .output()?;
    if !output.status.success() {
        return Err(format!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    // One field of one shape is needed, so this reads it without a JSON parser.
    let metadata = String::from_utf8(output.stdout)?;
    let paths = metadata.split(r#""manifest_path":""#).skip(1).filter_map(|rest| rest.split('"').next());
    Ok(paths.map(|path| PathBuf::from(path.replace(r"\\", r"\"))).collect())
}

/// The folder of a package: `NAME-VERSION` as cargo unpacks it, or `NAME` where dependencies are vendored.
fn find_package(manifests: &[PathBuf], package: &str) -> BuildResult<PathBuf> {
    let is_version = |rest: &str| {
        rest.strip_prefix('-').is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let folders = manifests.iter().filter_map(|manifest| manifest.parent());
    let found = folders.filter(|folder| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || is_version(rest))
    });
    match found.collect::<Vec<_>>()[..] {
        [folder] => Ok(folder.to_owned()),
        [] => Err(format!("`cargo metadata` does not list {package}").into()),
        _ => Err(format!("`cargo metadata` lists several versions of {package}").into()),
    }
}

/// Compiles a grammar, writes its tables, and returns the line of `grammars.rs` that declares it.
fn build_grammar(sources: &Path, output: &Path) -> BuildResult<String> {
    let parser = sources.join("parser.c");
    println!("cargo::rerun-if-changed={}", parser.display());
    let code = fs::read_to_string(&parser)?;
    let function = code
        .split_once("TS_PUBLIC const TSLanguage *")
        .and_then(|(_, rest)| rest.split_once('('))
        .ok_or("`parser.c` defines no language")?
        .0;
    let numbers = NamedNumbers::read(&code)?;

    let name = function.trim_start_matches("tree_sitter_");
    let mut declaration = format!("grammar!({name}, {function}");
    let mut slim = code.clone();
    for (table, read) in
        [("ts_parse_table", read_large_table as TableReader), ("ts_small_parse_table", read_small_table)]
    {
        let definition = find_definition(&slim, &format!("static const uint16_t {table}["))?;
        let (head, rows) = slim[definition.clone()].split_once(" = {\n").ok_or("a table without rows")?;
        let values = read(rows, &numbers)?;
        let symbol = format!("{function}_{table}");
        fs::write(output.join(&symbol), pack_table(&values)?)?;
        declaration.push_str(&format!(", {symbol}: {}", values.len()));
        let head = head.trim_start_matches("static const ").replace("[]", &format!("[{}]", values.len()));
        slim.replace_range(definition, &format!("#define {table} {symbol}\n{head};\n"));
    }
    declaration.push_str(");\n");
    let slim_parser = output.join(format!("{function}.c"));
    fs::write(&slim_parser, slim)?;

    let mut compiler = cc::Build::new();
    compiler.std("c11").warnings(false).include(sources).file(slim_parser);
    if env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("msvc") {
        compiler.flag("-utf-8");
    }
    let scanner = sources.join("scanner.c");
    if scanner.exists() {
        println!("cargo::rerun-if-changed={}", scanner.display());
        compiler.file(scanner);
    }
    compiler.try_compile(function)?;
    Ok(declaration)
}

/// What the names in a grammar's tables stand for, from its `#define` lines and `enum ts_symbol_identifiers`.
struct NamedNumbers<'c>(HashMap<&'c str, u16>);

impl<'c> NamedNumbers<'c> {
    fn read(code: &'c str) -> BuildResult<Self> {
        let mut numbers = HashMap::from([("ts_builtin_sym_end", 0)]);
        let definitions = code.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
        let symbols = code[find_definition(code, "enum ts_symbol_identifiers {")?].lines();
        let symbols = symbols.filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "));
        for (name, number) in definitions.chain(symbols) {
            if let Ok(number) = number.parse() {
                numbers.insert(name, number);
            }
        }
        Ok(Self(numbers))
    }

    /// The value of `12`, `ACTIONS(12)`, `STATE(12)` or `name`.
    fn evaluate(&self, expression: &str) -> BuildResult<u16> {
        let call = expression.strip_prefix("ACTIONS(").or_else(|| expression.strip_prefix("STATE("));
        let digits = call.and_then(|rest| rest.strip_suffix(')')).unwrap_or(expression);
        match (digits.parse(), self.0.get(expression)) {
            (Ok(number), _) | (_, Some(&number)) => Ok(number),
            _ => Err(format!("`{expression}` is neither a number nor a known name").into()),
        }
    }
}

/// Where the definition that begins like this stands, up to the line that closes it.
fn find_definition(code: &str, beginning: &str) -> BuildResult<std::ops::Range<usize>> {
    let start = code.find(beginning).ok_or_else(|| format!("`parser.c` has no `{beginning}`"))?;
    let length = code[start..].find("\n};\n").ok_or_else(|| format!("`{beginning}` has no end"))?;
    Ok(start..start + length + "\n};\n".len())
}

/// Lines `[row] = {`, `[column] = value,` and `},`. A row has one column per symbol.
fn read_large_table(rows: &str, numbers: &NamedNumbers<'_>) -> BuildResult<Vec<u16>> {
    let width = usize::from(numbers.evaluate("SYMBOL_COUNT")?);
    let mut values = vec![0; width * usize::from(numbers.evaluate("LARGE_STATE_COUNT")?)];
    let mut row = 0;
    for line in rows.lines().map(str::trim).filter(|line| !line.starts_with('}')) {
        let assignment = line.strip_prefix('[').and_then(|rest| rest.split_once("] = "));
        let (index, value) = assignment.ok_or_else(|| format!("cannot read `{line}`"))?;
        let index = usize::from(numbers.evaluate(index)?);
        if value == "{" {
            row = index * width;
        } else {
            let cell =
                values.get_mut(row + index).ok_or_else(|| format!("`{line}` is outside of the table"))?;
            *cell = numbers.evaluate(value.trim_end_matches(','))?;
        }
    }
    Ok(values)
}

/// Lines `[position] = value,` and `value, value,`.
fn read_small_table(rows: &str, numbers: &NamedNumbers<'_>) -> BuildResult<Vec<u16>> {
    let mut values = Vec::new();
    for line in rows.lines().map(str::trim).filter(|line| !line.starts_with('}')) {
        let assignment = line.strip_prefix('[').and_then(|rest| rest.split_once("] = "));
        if assignment.is_some_and(|(position, _)| position.parse() != Ok(values.len())) {
            return Err(format!("`{line}` comes at position {}", values.len()).into());
        }
        for value in assignment
            .map_or(line, |(_, value)| value)
            .split(',')
            .map(str::trim)
            .filter(|value| !value.is_empty())
        {
            values.push(numbers.evaluate(value)?);
        }
    }
    Ok(values)
}

/// The table's bytes as the target reads them, compressed.
fn pack_table(values: &[u16]) -> BuildResult<Vec<u8>> {
    let is_little = env::var("CARGO_CFG_TARGET_ENDIAN")? == "little";
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| if is_little { value.to_le_bytes() } else { value.to_be_bytes() })
        .collect();
    Ok(miniz_oxide::deflate::compress_to_vec(&bytes, 8))
}
