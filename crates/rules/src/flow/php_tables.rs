//! The names of PHP that tell where values come from and what is done with them.

/// What a request brings.
pub(super) const REQUESTS: [&str; 4] = ["$_GET", "$_POST", "$_REQUEST", "$_COOKIE"];

/// Methods of the requests of Laravel and Symfony that give what the sender wrote.
pub(super) const METHODS_OF_REQUESTS: [&str; 7] =
    ["input", "get", "query", "post", "cookie", "header", "string"];

/// Functions whose results are numbers, digests, escaped or otherwise not what was put in. What is escaped for one place is
/// taken for harmless in all of them.
pub(super) const HARMLESS: [&str; 68] = [
    "intval",
    "floatval",
    "doubleval",
    "boolval",
    "absint",
    "count",
    "sizeof",
    "strlen",
    "mb_strlen",
    "isset",
    "empty",
    "in_array",
    "array_key_exists",
    "array_search",
    "strpos",
    "strcmp",
    "md5",
    "sha1",
    "crc32",
    "hash",
    "hash_hmac",
    "password_hash",
    "password_verify",
    "base64_encode",
    "bin2hex",
    "dechex",
    "hexdec",
    "bindec",
    "urlencode",
    "rawurlencode",
    "http_build_query",
    "htmlspecialchars",
    "htmlentities",
    "strip_tags",
    "json_encode",
    "e",
    "h",
    "escapeshellarg",
    "escapeshellcmd",
    "realpath",
    "addslashes",
    "quotemeta",
    "preg_quote",
    "preg_match",
    "number_format",
    "date",
    "gmdate",
    "time",
    "microtime",
    "strtotime",
    "mktime",
    "uniqid",
    "rand",
    "mt_rand",
    "random_int",
    "random_bytes",
    "round",
    "floor",
    "ceil",
    "abs",
    "ord",
    "ip2long",
    "long2ip",
    "spl_object_id",
    "gettype",
    "get_class",
    "max",
    "min",
];

/// How the names of others of that kind begin: WordPress's escapes, and questions.
pub(super) const HARMLESS_PREFIXES: [&str; 7] =
    ["esc_", "wp_kses", "sanitize_", "is_", "ctype_", "pg_escape_", "array_key_"];

/// Functions that give much the same text as their first argument.
pub(super) const TEXTUAL: [&str; 28] = [
    "trim",
    "ltrim",
    "rtrim",
    "strtolower",
    "strtoupper",
    "mb_strtolower",
    "mb_strtoupper",
    "ucfirst",
    "lcfirst",
    "ucwords",
    "substr",
    "mb_substr",
    "nl2br",
    "stripslashes",
    "wp_unslash",
    "urldecode",
    "rawurldecode",
    "base64_decode",
    "html_entity_decode",
    "strval",
    "strrev",
    "str_repeat",
    "utf8_encode",
    "utf8_decode",
    "json_decode",
    "stripcslashes",
    "mb_convert_encoding",
    "str_pad",
];

/// Functions that hand on what they are given in another form.
pub(super) const CONVERTING: [&str; 7] =
    ["implode", "join", "explode", "str_split", "preg_split", "vsprintf", "iconv"];

/// The same of arrays.
pub(super) const PASSING_ARRAYS: [&str; 12] = [
    "array_values",
    "array_keys",
    "array_merge",
    "array_filter",
    "array_unique",
    "array_slice",
    "array_fill",
    "array_reverse",
    "current",
    "reset",
    "end",
    "array_pop",
];
