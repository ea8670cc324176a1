/// A check of a whole database that distinguishes a damaged file from a disk that failed for a moment.
enum IntegrityCheck {
    enum Outcome: Hashable, Sendable {
        case sound
        case damaged(problem: String)
        /// The disk failed during the check, which says nothing about the file.
        case unreadable(reason: String)
    }

    /// Reads the whole database through a connection of its own, whose cache is empty.
    ///
    /// Damage must be found twice with the same text, because SQLite reports some read failures as damage.
    static func run(at path: String) -> Outcome {
        let first = outcome(at: path)
        guard case .damaged(let problem) = first else { return first }
        let second = outcome(at: path)
        return second == first || second == .sound ? second : .unreadable(reason: problem)
    }

    private static func outcome(at path: String) -> Outcome {
        do throws(StoreError) {
            let connection = try SQLiteConnection(path: path, access: .readOnly)
            connection.keepLog()
            // SQLite calls an empty file sound.
            guard try connection.number("pragma application_id") == SQLiteConnection.applicationID else {
                return .damaged(problem: "it is no longer the database of a collector")
            }
            let check = try connection.statement("pragma integrity_check(1)")
            defer { check.reset() }
            var lines: [String] = []
            while try check.step() { lines.append(check.text(0)) }
            return outcome(lines)
        } catch {
            return switch error.reason {
            case .corrupt, .notADatabase, .missing: .damaged(problem: error.description)
            default: .unreadable(reason: error.description)
            }
        }
    }

    /// Returns the meaning of the first rows of `pragma integrity_check`.
    ///
    /// A read failure takes precedence: SQLite then also reports the pages that the unreadable page refers to as never used.
    static func outcome(_ lines: [String]) -> Outcome {
        if let readFailure = lines.first(where: isReadFailure) { return .unreadable(reason: readFailure) }
        guard let problem = lines.first(where: { $0 != "ok" }) else { return .sound }
        return .damaged(problem: String(problem.prefix(200)))
    }

    private static func isReadFailure(_ line: String) -> Bool {
        if line.contains("failed to get page") { return true }
        guard let code = line.split(separator: "unable to get the page. error code=").dropFirst().first,
            let number = Int32(code.prefix { $0.isNumber })
        else { return false }
        return StoreError.isReadFailure(number)
    }
}
