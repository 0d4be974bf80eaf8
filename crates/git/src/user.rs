use crate::program::Call;
use crate::repository::Repository;

impl Repository {
    /// Where a remote is, as its user wrote it; nothing if there is none of that name.
    pub fn remote_address(&self, remote: &str) -> Option<String> {
        let key = format!("remote.{remote}.url");
        let ran = self.program.run(&Call::new(["config", "--get", key.as_str()])).ok()?;
        let address = String::from_utf8(ran.stdout).ok()?.trim().to_owned();
        (ran.code == Some(0) && !address.is_empty()).then_some(address)
    }

    /// Who commits here, as git is configured; nothing if nobody said.
    pub fn user_name(&self) -> Option<String> {
        let ran = self.program.run(&Call::new(["config", "--get", "user.name"])).ok()?;
        let name = String::from_utf8(ran.stdout).ok()?.trim().to_owned();
        (ran.code == Some(0) && !name.is_empty()).then_some(name)
    }
}
