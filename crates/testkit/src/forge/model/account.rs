/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rights {
    /// Known, but sees nothing that is private.
    None,
    Read,
    /// A person's token: may write, but may not create check runs on GitHub.
    Write,
    /// An app's token: may write, check runs included.
    Checks,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: u64,
    pub login: String,
    pub email: String,
}

impl User {
    /// GitHub's apps end in `[bot]`.
    pub fn is_bot(&self) -> bool {
        self.login.ends_with("[bot]")
    }
}

#[derive(Debug, Clone)]
pub(in crate::forge) struct Token {
    pub(in crate::forge) value: String,
    pub(in crate::forge) user: User,
    pub(in crate::forge) rights: Rights,
    /// Repositories it is good for; all of them if there is no list.
    pub(in crate::forge) only: Option<Vec<String>>,
    pub(in crate::forge) used: u32,
}

/// Who is asking.
#[derive(Debug, Clone)]
pub(in crate::forge) enum Caller {
    Nobody,
    Known { user: User, rights: Rights, only: Option<Vec<String>> },
}

impl Caller {
    /// What may be done in the named repository.
    pub(in crate::forge) fn rights_in(&self, repository: &str) -> Rights {
        match self {
            Caller::Nobody => Rights::None,
            Caller::Known { only: Some(only), .. } if !only.iter().any(|name| name == repository) => {
                Rights::None
            }
            Caller::Known { rights, .. } => *rights,
        }
    }

    pub(in crate::forge) fn rights(&self) -> Rights {
        match self {
            Caller::Nobody => Rights::None,
            Caller::Known { rights, .. } => *rights,
        }
    }

    pub(in crate::forge) fn user(&self) -> User {
        match self {
            Caller::Nobody => User { id: 0, login: "ghost".to_owned(), email: String::new() },
            Caller::Known { user, .. } => user.clone(),
        }
    }
}
