//! Packages and pods of Swift that do the same job.

use super::{Group, group};

pub(super) static SWIFT: &[Group] = &[
    group("HTTP requests", &["alamofire|moya", "afnetworking", "get", "siesta"]),
    group(
        "images",
        &["kingfisher", "sdwebimage|sdwebimageswiftui", "nuke|nukeui", "alamofireimage", "pinremoteimage"],
    ),
    group("JSON", &["swiftyjson", "objectmapper", "argo"]),
    group("dependency injection", &["swinject", "factory", "resolver", "needle", "swift-dependencies"]),
    group("layout", &["snapkit", "purelayout", "masonry", "tinyconstraints", "cartography"]),
    group("databases", &["realm-swift|realmswift|realm-cocoa", "grdb.swift", "sqlite.swift", "fmdb"]),
    group("streams of values", &["rxswift", "reactiveswift", "opencombine"]),
    group("logging", &["swift-log", "cocoalumberjack|cocoalumberjack/swift", "swiftybeaver", "xcglogger"]),
    group("the keychain", &["keychainaccess", "keychain-swift|keychainswift", "valet"]),
    group("command lines", &["swift-argument-parser", "swiftcli"]),
    group("web servers", &["vapor", "kitura", "hummingbird", "perfect-httpserver"]),
];
