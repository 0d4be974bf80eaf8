/// A page in Confluence.
#[derive(Debug, Clone)]
pub struct Page {
    pub id: u64,
    pub space: String,
    pub title: String,
    /// In the storage format, which is XHTML with macros.
    pub storage: String,
    pub labels: Vec<String>,
    pub version: u64,
    pub created_at: u64,
}

impl Page {
    /// The words without the tags, as searches see them.
    pub(in crate::forge) fn words(&self) -> String {
        let mut words = String::new();
        let mut inside = false;
        for letter in self.storage.chars() {
            match letter {
                '<' => inside = true,
                '>' => {
                    inside = false;
                    words.push(' ');
                }
                _ if !inside => words.push(letter),
                _ => {}
            }
        }
        words
    }
}
