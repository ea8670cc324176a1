import LeakCollector

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Variables and paths of the process.
enum ProcessEnvironment {
    /// The variables that contain a setting, or the path of a file with a setting.
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        for name in variableNames {
            if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
        }
        return variables
    }

    private static var variableNames: [String] {
        Setting.allCases.flatMap { [$0.variable, $0.fileVariable].compactMap(\.self) }
    }

    /// Makes SQLite keep its temporary files beside the database, because a container may write nowhere else. Call it
    /// before any thread starts.
    /// https://www.sqlite.org/tempfiles.html
    static func keepTemporaryFiles(in folder: String) { unsafe setenv("SQLITE_TMPDIR", folder, 0) }

    /// Path of the file that GitHub Actions shows after a step; `nil` outside of GitHub Actions.
    static var stepSummaryPath: String? {
        guard let path = unsafe getenv("GITHUB_STEP_SUMMARY") else { return nil }
        let text = unsafe String(cString: path)
        return text.isEmpty ? nil : text
    }

    /// Returns the absolute path of a file, with links followed; `nil` if there is no such file.
    static func fullPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The folder of the running program, with links followed; `.` if it cannot be found.
    static var programFolder: String {
        let path = CommandLine.arguments.first ?? ""
        guard let resolved = unsafe realpath("/proc/self/exe", nil) ?? realpath(path, nil) else { return "." }
        defer { unsafe free(resolved) }
        let full = unsafe String(cString: resolved)
        guard let slash = full.lastIndex(of: "/") else { return "." }
        return String(full[..<slash])
    }
}
