//! Which files steer agents or run code, as data. Paths are written in lower case: editors on some systems see no case.

use domain::change::RepoPath;

/// What a file does when its folder is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Runs,
    /// Some of its settings name programs.
    RunsPrograms,
    Instructs,
}

pub(super) struct Steering {
    /// The end of the path, from a whole name on. One that ends in a slash means everything in that folder, one that
    /// begins with a star any name that ends so.
    pub(super) path: &'static str,
    pub(super) what: &'static str,
    pub(super) effect: Effect,
}

/// The first that fits counts.
const TABLE: &[Steering] = &[
    runs(".claude/settings.json", "settings of Claude Code, with hooks and permissions"),
    runs(".claude/settings.local.json", "settings of Claude Code, with hooks and permissions"),
    runs(".claude/hooks/", "a hook of Claude Code"),
    runs(".claude-plugin/", "a plugin of Claude Code"),
    runs(".claude/skills/", "a skill of Claude Code, which may bring scripts"),
    runs(".mcp.json", "servers that agents start"),
    runs(".cursor/mcp.json", "servers that Cursor starts"),
    runs(".cursor/hooks.json", "hooks of Cursor"),
    runs(".cursor/hooks/", "a hook of Cursor"),
    runs(".cursor/environment.json", "commands that Cursor runs at its start"),
    runs(".gemini/settings.json", "settings of Gemini CLI, with hooks and servers"),
    runs(".gemini/extensions/", "an extension of Gemini CLI"),
    runs(".codex/config.toml", "settings of Codex, with servers and permissions"),
    runs(".codex/hooks.json", "hooks of Codex"),
    runs(".codex/hooks/", "a hook of Codex"),
    runs("opencode.json", "settings of opencode, with servers and permissions"),
    runs("opencode.jsonc", "settings of opencode, with servers and permissions"),
    runs(".opencode/plugin/", "a plugin of opencode"),
    runs(".opencode/plugins/", "a plugin of opencode"),
    runs(".opencode/tool/", "a tool of opencode"),
    runs(".opencode/tools/", "a tool of opencode"),
    runs(".goose/config.yaml", "settings of goose, with extensions"),
    runs(".aider.conf.yml", "settings of aider, with commands that it runs"),
    runs(".roo/mcp.json", "servers that Roo Code starts"),
    runs(".kiro/hooks/", "a hook of Kiro"),
    runs(".kiro/settings/", "settings of Kiro, with servers"),
    runs(".amazonq/mcp.json", "servers that Amazon Q starts"),
    runs(".junie/mcp/", "servers that Junie starts"),
    runs(".devcontainer/", "a part of the development container"),
    runs(".devcontainer.json", "the development container"),
    runs(".gitpod.yml", "tasks of Gitpod"),
    runs(".vscode/tasks.json", "tasks of the editor"),
    runs(".vscode/launch.json", "programs that the editor starts"),
    runs(".vscode/mcp.json", "servers that the editor starts"),
    runs(".zed/tasks.json", "tasks of the editor"),
    runs(".zed/debug.json", "programs that the editor starts"),
    runs(".theia/tasks.json", "tasks of the editor"),
    runs(".fleet/run.json", "tasks of the editor"),
    runs(".idea/startup.xml", "tasks that the editor runs at its start"),
    runs(".idea/watchertasks.xml", "tasks that the editor runs when a file changes"),
    runs(".idea/runconfigurations/", "a task of the editor"),
    runs(".run/", "a task of the editor"),
    runs(".envrc", "a script that the shell runs on entering the folder"),
    runs(".exrc", "a script of the editor"),
    runs(".nvimrc", "a script of the editor"),
    runs(".nvim.lua", "a script of the editor"),
    runs(".dir-locals.el", "variables of the editor, which may hold code"),
    runs_programs(".vscode/settings.json", "settings of the editor"),
    runs_programs(".zed/settings.json", "settings of the editor"),
    runs_programs("*.code-workspace", "settings of the editor"),
    instructs(".claude/", "an instruction to Claude Code"),
    instructs("claude.md", "an instruction to Claude Code"),
    instructs("claude.local.md", "an instruction to Claude Code"),
    instructs("agents.md", "an instruction to agents"),
    instructs("agents.local.md", "an instruction to agents"),
    instructs("agents.override.md", "an instruction to agents"),
    instructs("agent.md", "an instruction to agents"),
    instructs(".agents/", "an instruction to agents"),
    instructs("gemini.md", "an instruction to Gemini CLI"),
    instructs(".gemini/", "an instruction to Gemini CLI"),
    instructs(".codex/", "an instruction to Codex"),
    instructs(".opencode/", "an instruction to opencode"),
    instructs(".goose/", "an instruction to goose"),
    instructs(".goosehints", "an instruction to goose"),
    instructs(".cursor/", "an instruction to Cursor"),
    instructs(".cursorrules", "an instruction to Cursor"),
    instructs(".github/copilot-instructions.md", "an instruction to Copilot"),
    instructs(".github/instructions/", "an instruction to Copilot"),
    instructs(".github/prompts/", "an instruction to Copilot"),
    instructs(".github/chatmodes/", "an instruction to Copilot"),
    instructs(".github/agents/", "an instruction to Copilot"),
    instructs(".windsurfrules", "an instruction to Windsurf"),
    instructs(".windsurf/", "an instruction to Windsurf"),
    instructs(".clinerules", "an instruction to Cline"),
    instructs(".clinerules/", "an instruction to Cline"),
    instructs(".roorules", "an instruction to Roo Code"),
    instructs(".roo/", "an instruction to Roo Code"),
    instructs(".kiro/", "an instruction to Kiro"),
    instructs(".amazonq/", "an instruction to Amazon Q"),
    instructs(".junie/", "an instruction to Junie"),
    instructs(".continue/", "an instruction to Continue"),
    instructs(".augment/", "an instruction to Augment"),
];

const fn runs(path: &'static str, what: &'static str) -> Steering {
    Steering { path, what, effect: Effect::Runs }
}

const fn runs_programs(path: &'static str, what: &'static str) -> Steering {
    Steering { path, what, effect: Effect::RunsPrograms }
}

const fn instructs(path: &'static str, what: &'static str) -> Steering {
    Steering { path, what, effect: Effect::Instructs }
}

pub(super) fn steering(path: &RepoPath) -> Option<&'static Steering> {
    let path = path.as_bytes().to_ascii_lowercase();
    TABLE.iter().find(|row| fits(&path, row.path.as_bytes()))
}

fn fits(path: &[u8], wanted: &[u8]) -> bool {
    let from_a_name = |at: usize| at == 0 || path[at - 1] == b'/';
    match wanted {
        [b'*', ending @ ..] => path.ends_with(ending),
        [.., b'/'] => memchr::memmem::find_iter(path, wanted)
            .any(|at| from_a_name(at) && at + wanted.len() < path.len()),
        name => path.ends_with(name) && from_a_name(path.len() - name.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(path: &str) -> Option<Effect> {
        steering(&path.into()).map(|row| row.effect)
    }

    #[test]
    fn files_are_known_in_every_folder_and_case() {
        for path in [
            ".claude/settings.json",
            "web/.claude/hooks/run.sh",
            ".mcp.json",
            ".devcontainer/post-create.sh",
            ".vscode/tasks.json",
            ".ENVRC",
        ] {
            assert_eq!(effect(path), Some(Effect::Runs), "{path}");
        }
        for path in
            ["CLAUDE.md", "docs/agents.MD", "GEMINI.md", ".cursor/rules/a.mdc", ".claude/commands/x.md"]
        {
            assert_eq!(effect(path), Some(Effect::Instructs), "{path}");
        }
        assert_eq!(effect("shop.code-workspace"), Some(Effect::RunsPrograms));
    }

    #[test]
    fn other_names_are_not_taken_for_them() {
        for path in [
            "src/envrc.rs",
            "my.envrc",
            "docs/about-claude.md",
            "cursor/mod.rs",
            "src/claude/settings.json",
            ".vscode/extensions.json",
            ".cursor",
        ] {
            assert_eq!(effect(path), None, "{path}");
        }
    }

    #[test]
    fn every_row_is_reached_and_written_in_lower_case() {
        for row in TABLE {
            let path = match row.path {
                path if path.starts_with('*') => path.replace('*', "a"),
                path if path.ends_with('/') => format!("{path}a"),
                path => path.to_owned(),
            };
            let found = steering(&path.as_str().into());
            assert!(found.is_some_and(|found| found.path == row.path), "{}", row.path);
        }
    }
}
