use crate::program::Call;
use crate::repository::Repository;

impl Repository {
    /// Who commits here, as git is configured; nothing if nobody said.
    pub fn user_name(&self) -> Option<String> {
        let ran = self.program.run(&Call::new(["config", "--get", "user.name"])).ok()?;
        let name = String::from_utf8(ran.stdout).ok()?.trim().to_owned();
        (ran.code == Some(0) && !name.is_empty()).then_some(name)
    }
}
