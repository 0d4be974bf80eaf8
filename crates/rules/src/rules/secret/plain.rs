//! Passwords that are one plain word. Most words beside `password` are no password but a label, a type or a rule, so only
//! those count that many choose.

use super::name::{Kind, Name};
use super::operator::Operator;

/// What leaked lists of passwords are full of, and nobody calls a field, a label, a type or a place. Without numbers, and
/// without what samples are made of.
const POPULAR: &str = "\
    amanda andrew angels anthony arsenal asdfgh asdfghjkl ashley babygirl bailey banana barcelona baseball basketball \
    batman blahblah blessed brandon buster butterfly carrots charlie cheese chelsea chocolate christian computer \
    cookies corvette cowboy cowboys daniel danielle december dragon eagles elephant elizabeth ferrari flower \
    football freedom friends garfield ginger hannah happiness harley heather hockey iloveu iloveyou jasmine jennifer \
    jessica jordan joshua justin killer lakers letmein liverpool london lovely loveme maggie matthew merlin \
    metallica michael michelle monkey mustang naruto nicholas nicole ninja november october orange pepper phoenix \
    pineapple pokemon porsche princess purple qazwsx qweasd qweasdzxc qwerty qwertyuiop rainbow rangers samantha \
    september slayer slipknot snoopy soccer sparky spiderman starwars steelers strawberry summer sunflower sunshine \
    superman sweetheart tequila thomas thunder tigger tinkerbell tweety vanessa victoria whiskey winter yankees \
    zxcvbn zxcvbnm";

pub(super) fn is_password(name: &Name<'_>, operator: Operator, value: &[u8]) -> bool {
    let is_given = !matches!(operator, Operator::Spaced | Operator::Listed | Operator::Paired);
    let is_popular =
        || POPULAR.split(' ').any(|word| word.as_bytes().eq_ignore_ascii_case(value.trim_ascii()));
    name.kind == Kind::Password && is_given && !name.asks() && is_popular()
}
