use crate::process::SpawnEnvironment;

/// The TCP ports an agent needs: that of HTTPS, and those of addresses and proxies it was given in variables.
pub(super) fn ports(environment: &SpawnEnvironment, variables: &[&str], more: &[u16]) -> Vec<u16> {
    let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    let addresses = variables.iter().filter(|name| name.ends_with("_URL") || name.ends_with("_HOST"));
    let mut ports: Vec<u16> = addresses
        .chain(&proxies)
        .filter_map(|name| environment.get(name))
        .filter_map(port_of)
        .chain([443])
        .chain(more.iter().copied())
        .collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// Of `http://user@[::1]:8080/v1` 8080; of `http://host` 80; of `host:11434` 11434.
fn port_of(address: &str) -> Option<u16> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let behind_host = host.rsplit(']').next()?;
    let usual = if scheme.eq_ignore_ascii_case("http") { 80 } else { 443 };
    match behind_host.rsplit_once(':') {
        Some((_, port)) => port.parse().ok(),
        None => Some(usual),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_found_in_any_address() {
        for (address, port) in [
            ("http://127.0.0.1:4010", Some(4010)),
            ("http://u:p@[::1]:8080/v1", Some(8080)),
            ("http://[::1]/v1", Some(80)),
            ("https://api.example.com/v1", Some(443)),
            ("localhost:11434", Some(11434)),
            ("http://host:99999", None),
        ] {
            assert_eq!(port_of(address), port, "{address}");
        }
    }

    #[test]
    fn only_the_ports_that_are_needed_are_open() {
        let environment = SpawnEnvironment::default()
            .with("ANTHROPIC_BASE_URL", "http://127.0.0.1:4010")
            .with("HTTPS_PROXY", "http://proxy:3128");
        assert_eq!(ports(&environment, &["ANTHROPIC_BASE_URL"], &[9]), [9, 443, 3128, 4010]);
        assert_eq!(ports(&SpawnEnvironment::default(), &[], &[]), [443]);
    }
}
