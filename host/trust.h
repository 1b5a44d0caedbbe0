#pragma once
// Trust of project files: what qa-host would read from a folder by itself, because of where it is and not because
// somebody named it. They are code, and everybody who can write to the folder writes them, so they are used only where
// the user trusts the folder: for one run (--trust DIR), or as it was when `qa-host trust` recorded it, until a file of
// it changes. Called by host/main before there is a Lua machine, and by embedders. Calls block on the disk; any thread.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"

namespace qa {

/// Everything that is read without being named: "qa-host.lua", "strategies", "scripts/commands".
const std::vector<std::string>& project_names();

/// The folder whose project files a run may use. As it is made here: none.
struct Project {
  std::string folder;              ///< As it was given; "" for none.
  std::vector<std::string> names;  ///< Of project_names() those that are there.
  /// SHA-256 by path below the folder, which files must still have when they are loaded. nullopt: as they are then.
  std::optional<std::map<std::string, std::string>> hashes;

  /// The path of one of project_names() where it may be used, or "".
  std::string path_of(std::string_view name) const;
  /// Why a file that was just read may not be used: it is not as it was trusted. "" for every other file.
  std::string refusal(std::string_view path, std::string_view bytes) const;
};

/// Trusts a folder for one run: its files may change meanwhile, as --watch wants. io_error when it is no folder, or
/// holds project files that nobody can trust: links, what is no regular file, more than 2,000 files or 32 MiB. What is
/// the shipped folder itself (`share`) is left out.
Result<Project> open_project(const std::string& folder, const std::string& share);

/// What a run in the working folder goes by.
struct TrustDecision {
  Project project;
  std::string left_out;  ///< One sentence that names what is there and not used, and what to do; "" for nothing.
};
/// `named`: the value of --trust, or "". `state`: the state folder, whose records count unless it lies in the folder
/// that they are about. Fails as open_project does for a named folder.
Result<TrustDecision> decide_trust(const std::string& named, const std::string& state, const std::string& share);

struct TrustRecord {
  std::string folder;  ///< Without links and dots.
  std::string digest;  ///< Of the names and hashes of its project files.
};
/// Records in <state>/trust.json that the project files of a folder are trusted as they are now. The project that was
/// recorded. io_error as of open_project, when there is nothing to trust, or when the file cannot be written.
Result<Project> record_trust(const std::string& state, const std::string& folder, const std::string& share);
/// By folder; none when nothing was recorded. io_error for a file that is no such list.
Result<std::vector<TrustRecord>> trust_records(const std::string& state);
/// False when there was no record of the folder, which need not exist any more.
Result<bool> revoke_trust(const std::string& state, const std::string& folder);

/// Of the names and hashes of the project files of a folder, which must be as they are recorded.
std::string project_digest(const Project& project);

}  // namespace qa
