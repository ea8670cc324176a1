internal import LeakPlatform

/// The user's choice about collecting, in a file that all processes of the app share.
///
/// A refusal applies in this process as soon as it is given; the write is repeated until the disk accepts it. Consent that could not
/// be written applies as long as the file contains no other answer. Consent that follows a refusal has a unique mark in the file, by which
/// other processes notice a refusal that they have not read.
final class CollectionChoice: Sendable {
    enum Answer: Hashable, Sendable { case on, off, unanswered }

    enum Permission: Hashable, Sendable {
        case granted
        case denied
        /// The file exists but cannot be read: it may be a refusal.
        case unknown(FileFailure)
    }

    private struct State {
        /// The answer before this process gave an answer.
        var initialAnswer: Answer?
        /// The last answer of this process.
        var lastAnswer: Bool?
        /// The mark of consent that this process has read or written; empty if it had no mark.
        var mark = ""
        /// `true` if this process has received a refusal since it read or gave its consent.
        var needsMark = false
        /// The reason why ``lastAnswer`` is not in the file; `nil` if it is.
        var failure: FileFailure?
        var failureCount = 0
        var retryAt: MonotonicTime?
    }

    private let file: StateFile
    /// The file in which the answer was stored until the app configured a folder for the file; `nil` if that is the same file.
    private let formerFile: StateFile?
    private let collectsByDefault: Bool
    private let syncFolder: @Sendable (String) throws(FileFailure) -> Void
    private let now: @Sendable () -> CurrentTime
    private let state = Guarded(State())

    private static let backoff = Backoff(firstMilliseconds: 1_000, longestMilliseconds: 60_000)

    /// - Parameters:
    ///   - syncFolder: syncs the folder, so that the name of the file survives a power cut.
    ///   - now: the clock that callers of ``retry(at:isLast:)`` use.
    init(
        _ file: StateFile, formerFile: StateFile?, collectsByDefault: Bool,
        syncFolder: @escaping @Sendable (String) throws(FileFailure) -> Void = FileSystem.syncFolder,
        now: @escaping @Sendable () -> CurrentTime = { .now }
    ) {
        self.file = file
        self.formerFile = formerFile == file ? nil : formerFile
        self.collectsByDefault = collectsByDefault
        self.syncFolder = syncFolder
        self.now = now
    }

    /// Returns the answer of earlier runs. An answer that cannot be read may be a refusal, and is treated as a refusal.
    func readInitialAnswer() -> Answer { state.with { start(&$0) } }

    /// Sets the answer, and writes it to the file.
    ///
    /// - Parameter post: called with the answer before another answer can be set. If this process gives consent after another
    ///   process has received a refusal, `post` is called with `false` first.
    /// - Returns: `true` if the answer survives the process.
    func setAnswer(_ isOn: Bool, _ post: (Bool) -> Void) -> Bool {
        state.with { state in
            _ = start(&state)
            if isOn, let text = try? file.read(), !permitsCollecting(text, state) { post(false) }
            (state.lastAnswer, state.failureCount) = (isOn, 0)
            if !isOn { state.needsMark = true }
            write(isOn, &state)
            post(isOn)
            return state.failure == nil
        }
    }

    /// Reads from the file whether reports may be sent now: another process of the app may have received a refusal.
    func permission() -> Permission {
        state.with { state in
            _ = start(&state)
            guard state.lastAnswer != false else { return .denied }
            do throws(FileFailure) {
                return try file.read().map { permitsCollecting($0, state) } ?? true ? .granted : .denied
            } catch {
                return .unknown(error)
            }
        }
    }

    /// Writes an answer again if it could not be written before.
    ///
    /// - Parameter isLast: `true` writes at once, even if the next attempt is not due.
    func retry(at now: MonotonicTime, isLast: Bool = false) {
        state.with { state in
            guard let lastAnswer = state.lastAnswer, let due = state.retryAt, isLast || due <= now else {
                return
            }
            // A refusal in the file may be later, and from another process: consent that could not be written does not replace it.
            if lastAnswer, (try? file.read()) != .some(nil) {
                (state.lastAnswer, state.failure, state.retryAt) = (nil, nil, nil)
            } else {
                write(lastAnswer, &state)
            }
        }
    }

    /// The time of the next attempt of ``retry(at:isLast:)``; `nil` if there is nothing to do.
    var retryAt: MonotonicTime? { state.with { $0.retryAt } }

    var failure: FileFailure? { state.with { $0.failure } }

    // MARK: The file

    private static let yesText = "on"
    private static let noText = "off"

    /// - Returns: the mark of consent, which may be empty; `nil` for a refusal, and for any other text.
    private static func mark(_ text: String) -> String? {
        guard text.hasPrefix(yesText) else { return nil }
        let suffix = text.dropFirst(yesText.count)
        guard !suffix.isEmpty else { return "" }
        let digits = suffix.dropFirst().utf8
        let hexadecimal = Set("0123456789abcdef".utf8)
        return suffix.first == " " && digits.count == 32 && digits.allSatisfy(hexadecimal.contains)
            ? String(suffix) : nil
    }

    /// Returns `true` if the file contains consent, and no process has received a refusal since this process read it.
    private func permitsCollecting(_ text: String, _ state: State) -> Bool { Self.mark(text) == state.mark }

    private func start(_ state: inout State) -> Answer {
        if let initialAnswer = state.initialAnswer { return initialAnswer }
        if let formerFile { move(formerFile, &state) }
        let answer = state.lastAnswer == false ? .off : read(&state)
        state.initialAnswer = answer
        return answer
    }

    private func read(_ state: inout State) -> Answer {
        do throws(FileFailure) {
            guard let text = try file.read() else { return collectsByDefault ? .on : .unanswered }
            guard let mark = Self.mark(text) else { return .off }
            state.mark = mark
            return .on
        } catch {
            return .off
        }
    }

    private func write(_ isOn: Bool, _ state: inout State) {
        do throws(FileFailure) {
            if isOn { try writeYes(&state) } else { try writeNo() }
            try syncFolder(file.folder)
            (state.failure, state.retryAt) = (nil, nil)
        } catch {
            state.failure = error
            state.failureCount += 1
            let wait = Self.backoff.milliseconds(afterFailures: state.failureCount, jitter: 1)
            state.retryAt = now().monotonicTime.advanced(byMilliseconds: wait)
        }
    }

    private func writeYes(_ state: inout State) throws(FileFailure) {
        var mark = ""
        do throws(FileFailure) {
            let text = try file.read()
            let formerMark = text.map(Self.mark) ?? ""
            if let formerMark, !state.needsMark { mark = formerMark } else { mark = Self.newMark() }
            if text == Self.yesText + mark {
                // Another process has written this answer, and the disk may have no room to write it again.
                state.mark = mark
                return
            }
        } catch {
            // The unreadable file may be a refusal.
            mark = Self.newMark()
        }
        try file.write(Self.yesText + mark)
        (state.mark, state.needsMark) = (mark, false)
    }

    private static func newMark() -> String { " " + RandomText.hexadecimal128() }

    /// Writes a refusal. If that fails, it empties the file: an empty file is a refusal too, and needs no room on the disk.
    private func writeNo() throws(FileFailure) {
        do throws(FileFailure) {
            try file.write(Self.noText)
        } catch {
            do throws(FileFailure) { try file.empty() } catch _ { throw error }
        }
    }

    /// Moves the answer from the former file: a refusal always, consent only if there is no other answer.
    private func move(_ formerFile: StateFile, _ state: inout State) {
        do throws(FileFailure) {
            guard let text = try formerFile.read() else { return }
            if Self.mark(text) == nil {
                state.lastAnswer = false
                write(false, &state)
            } else if try file.read() == nil {
                try file.write(text)
                try syncFolder(file.folder)
            }
            if state.failure == nil { try formerFile.remove() }
        } catch {
            // The unreadable file may be a refusal. It stays, and the next run tries again.
            state.lastAnswer = false
        }
    }
}
