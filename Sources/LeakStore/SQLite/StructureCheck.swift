/// Distinguishes a damaged database from a disk that failed for a moment.
enum StructureCheck {
    enum Finding: Hashable, Sendable {
        case sound
        case damaged(String)
        /// The disk failed during the check, which says nothing about the file.
        case unreadable(String)
    }

    /// Reads the whole database through a connection of its own, whose cache is empty.
    ///
    /// Damage counts once a second look has found the same: SQLite reports some failures to read as damage.
    static func run(at path: String) -> Finding {
        let first = look(at: path)
        guard case .damaged(let problem) = first else { return first }
        let second = look(at: path)
        return second == first || second == .sound ? second : .unreadable(problem)
    }

    private static func look(at path: String) -> Finding {
        do throws(StoreError) {
            let connection = try Connection(path: path, access: .readOnly)
            connection.keepLog()
            // SQLite calls an empty file sound.
            guard try connection.number("pragma application_id") == Connection.applicationID else {
                return .damaged("it is no longer the database of a collector")
            }
            let check = try connection.statement("pragma integrity_check(1)")
            defer { check.reset() }
            var lines: [String] = []
            while try check.step() { lines.append(check.text(0)) }
            return finding(lines)
        } catch {
            return switch error.reason {
            case .corrupt, .notADatabase, .missing: .damaged(error.description)
            default: .unreadable(error.description)
            }
        }
    }

    /// The meaning of the first rows of `pragma integrity_check`.
    ///
    /// A page that cannot be read precedes the pages it refers to, which are then reported as never used.
    static func finding(_ lines: [String]) -> Finding {
        if let unread = lines.first(where: isReadFailure) { return .unreadable(unread) }
        guard let problem = lines.first(where: { $0 != "ok" }) else { return .sound }
        return .damaged(String(problem.prefix(200)))
    }

    private static func isReadFailure(_ line: String) -> Bool {
        if line.contains("failed to get page") { return true }
        guard let code = line.split(separator: "unable to get the page. error code=").dropFirst().first,
            let number = Int32(code.prefix { $0.isNumber })
        else { return false }
        return StoreError.isReadFailure(number)
    }
}
