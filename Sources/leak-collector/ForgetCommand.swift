import LeakCollector
import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `collector forget` and `collector key undo`: deletes a leak, a version, an environment, an app, or what an ingest key made,
/// after a confirmation. May run while a collector runs on the same database.
struct ForgetCommand: Equatable {
    let target: ForgetTarget
    let isDryRun: Bool
    /// `true` with `--yes`: the command does not ask.
    let isConfirmed: Bool
    let flags: [Setting: String]
    /// `true` with `--discard`: later reports of the leak are dropped.
    var discards = false

    /// Time between two lines about the progress.
    private static let progressMilliseconds: Int64 = 1_000

    func run() throws -> Program.ExitCode {
        let store = try Program.openStore(Program.readSettings(flags), isServer: false)
        let reader = try store.makeReader()
        guard let counts = try reader.forgetCounts(of: target) else {
            Output.error("collector: \(TerminalText.text(missingText))")
            return .failed
        }
        Output.line("to delete: \(Self.text(counts))")
        if case .key(let key, _) = target {
            if counts.kept != ForgetCounts.Kept() {
                Output.line(
                    "to keep, because other keys have reported it too: "
                        + counts.kept.descriptions.joined(separator: ", ").replacing("\u{A0}", with: " "))
            }
            for sentence in ForgetTarget.undoLimits { Output.line(sentence) }
            let credentials = try reader.credentials(includingEnded: false, now: WallClock.milliseconds())
            if credentials.contains(where: { $0.id == key && $0.purpose == .ingest }) {
                Output.error(
                    "collector: key \(key) is still valid, so its next reports bring everything back: run collector key revoke "
                        + "\(key) first")
            }
            guard !counts.isEmpty else { return .done }
        }
        guard !isDryRun else {
            Output.line("nothing was deleted; to delete it, run the command without --dry-run")
            return .done
        }
        guard try confirm() else {
            Output.error("collector: nothing was deleted")
            return .failed
        }
        if discards, case .leak(let id) = target {
            let (origin, now) = (ChangeOrigin.commandLine, WallClock.milliseconds())
            let entry = AuditEntry(.discard, of: target.auditObject, by: origin, at: now)
            guard try store.discard(id, by: origin.actor, audit: entry, now: now) else {
                Output.error("collector: \(missingText)")
                return .failed
            }
            Output.line("later reports of the leak are dropped from now on")
        }
        let isTerminal = isatty(2) == 1
        var nextProgressTime = WallClock.milliseconds() + Self.progressMilliseconds
        let entry = target.auditEntry(by: .commandLine, at: WallClock.milliseconds())
        let deleted = try store.forget(target, audit: entry) {
            if isTerminal, WallClock.milliseconds() >= nextProgressTime {
                let left = (try? reader.forgetCounts(of: target))?.leaks ?? 0
                Output.error("\(left) leaks left", overwrites: true)
                nextProgressTime = WallClock.milliseconds() + Self.progressMilliseconds
            }
            return true
        }
        if isTerminal { Output.error("", overwrites: true) }
        Output.line("deleted: \(Self.text(deleted ?? ForgetCounts()))")
        return .done
    }

    private static func text(_ counts: ForgetCounts) -> String {
        counts.isEmpty
            ? "nothing" : counts.descriptions.joined(separator: ", ").replacing("\u{A0}", with: " ")
    }

    private var missingText: String {
        switch target {
        case .leak(let id): "there is no leak \(id)"
        case .version(let version, let app): "\(app) has no version \(version)"
        case .environment(let app): "there is no app \(app)"
        case .app(let name): "there is no app \(name)"
        case .key: target.missingKeyText
        }
    }

    /// Asks on a terminal.
    ///
    /// - Returns: `true` if the answer is yes.
    /// - Throws: ``Command/UsageError`` if there is no terminal.
    private func confirm() throws -> Bool {
        guard !isConfirmed else { return true }
        guard isatty(0) == 1 else {
            throw Command.UsageError(
                "this command deletes data, and nothing can bring it back: confirm with --yes, or use --dry-run"
            )
        }
        Output.error("This cannot be undone. Type yes to delete it: ", overwrites: true)
        return readLine() == "yes"
    }
}
