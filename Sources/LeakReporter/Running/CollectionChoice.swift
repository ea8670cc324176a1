internal import LeakPlatform

/// The user's choice about collecting, in a file that all processes of the app share.
///
/// A "no" counts in this process as soon as it is given, and is written again until the disk takes it. A "yes" that could not be
/// written counts as long as the file says nothing else. A "yes" that follows a "no" has a mark of its own in the file, by which the
/// other processes notice a "no" that they have not read.
final class CollectionChoice: Sendable {
    enum Answer: Hashable, Sendable { case on, off, unanswered }

    enum Permission: Hashable, Sendable {
        case granted
        case denied
        /// The file is there and cannot be read: it may be a "no".
        case unknown(FileFailure)
    }

    private struct State {
        /// The answer before this process gave one.
        var initial: Answer?
        /// The last answer of this process.
        var given: Bool?
        /// The mark of the "yes" that this process has read or given; empty if none had a mark.
        var mark = ""
        /// True if this process was told "no" since.
        var needsMark = false
        /// The reason why ``given`` is not in the file; `nil` if it is.
        var failure: FileFailure?
        var failures = 0
        var retryAt: Moment?
    }

    private let file: StateFile
    /// The file of the answer before the app chose a folder for it.
    private let formerFile: StateFile?
    private let collectsByDefault: Bool
    private let syncFolder: @Sendable (String) throws(FileFailure) -> Void
    private let now: @Sendable () -> Now
    private let state = Guarded(State())

    private static let backoff = Backoff(firstMilliseconds: 1_000, longestMilliseconds: 60_000)

    /// - Parameters:
    ///   - syncFolder: makes the name of the file survive a power cut.
    ///   - now: the clock of those who call ``retry(at:isLast:)``.
    init(
        _ file: StateFile, formerFile: StateFile?, collectsByDefault: Bool,
        syncFolder: @escaping @Sendable (String) throws(FileFailure) -> Void = FileSystem.syncFolder,
        now: @escaping @Sendable () -> Now = { .now }
    ) {
        self.file = file
        self.formerFile = formerFile == file ? nil : formerFile
        self.collectsByDefault = collectsByDefault
        self.syncFolder = syncFolder
        self.now = now
    }

    /// The answer of earlier runs. An answer that cannot be read may be a "no".
    func atStart() -> Answer { state.with { start(&$0) } }

    /// Gives an answer, and writes it down.
    ///
    /// - Parameter post: called with the answer before another one can be given. If another process was told "no" since, a "yes"
    ///   calls it with `false` first.
    /// - Returns: whether the answer survives the process.
    func give(_ isOn: Bool, _ post: (Bool) -> Void) -> Bool {
        state.with { state in
            _ = start(&state)
            if isOn, let text = try? file.read(), !isHeld(text, state) { post(false) }
            (state.given, state.failures) = (isOn, 0)
            if !isOn { state.needsMark = true }
            write(isOn, &state)
            post(isOn)
            return state.failure == nil
        }
    }

    /// Reads whether reports may be sent now: another process of the app may have been told "no".
    func permission() -> Permission {
        state.with { state in
            _ = start(&state)
            guard state.given != false else { return .denied }
            do throws(FileFailure) {
                return try file.read().map { isHeld($0, state) } ?? true ? .granted : .denied
            } catch {
                return .unknown(error)
            }
        }
    }

    /// Writes an answer again that could not be written.
    ///
    /// - Parameter isLast: does not wait until the next attempt is due.
    func retry(at now: Moment, isLast: Bool = false) {
        state.with { state in
            guard let given = state.given, let due = state.retryAt, isLast || due <= now else { return }
            // A "no" in the file may be a later one, of another process: a "yes" that could not be written does not replace it.
            if given, (try? file.read()) != .some(nil) {
                (state.given, state.failure, state.retryAt) = (nil, nil, nil)
            } else {
                write(given, &state)
            }
        }
    }

    /// The time at which ``retry(at:isLast:)`` has something to do.
    var retryAt: Moment? { state.with { $0.retryAt } }

    var failure: FileFailure? { state.with { $0.failure } }

    // MARK: The file

    private static let on = "on"
    private static let off = "off"

    /// - Returns: the mark of a "yes", which may be empty; `nil` for a "no".
    private static func mark(_ text: String) -> String? {
        guard text.hasPrefix(on) else { return nil }
        let rest = text.dropFirst(on.count)
        guard !rest.isEmpty else { return "" }
        let digits = rest.dropFirst().utf8
        let hexadecimal = Set("0123456789abcdef".utf8)
        return rest.first == " " && digits.count == 32 && digits.allSatisfy(hexadecimal.contains)
            ? String(rest) : nil
    }

    /// True if the file says "yes", and no process was told "no" since this one read it.
    private func isHeld(_ text: String, _ state: State) -> Bool { Self.mark(text) == state.mark }

    private func start(_ state: inout State) -> Answer {
        if let initial = state.initial { return initial }
        if let formerFile { move(formerFile, &state) }
        let answer = state.given == false ? .off : read(&state)
        state.initial = answer
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
            state.failures += 1
            let wait = Self.backoff.milliseconds(afterFailures: state.failures, jitter: 1)
            state.retryAt = now().moment.advanced(byMilliseconds: wait)
        }
    }

    private func writeYes(_ state: inout State) throws(FileFailure) {
        var mark = ""
        do throws(FileFailure) {
            let text = try file.read()
            let former = text.map(Self.mark) ?? ""
            if let former, !state.needsMark { mark = former } else { mark = Self.newMark() }
            if text == Self.on + mark {
                // Another process has written it, and there may be no room to write it again.
                state.mark = mark
                return
            }
        } catch {
            // It may be a "no".
            mark = Self.newMark()
        }
        try file.write(Self.on + mark)
        (state.mark, state.needsMark) = (mark, false)
    }

    private static func newMark() -> String { " " + RandomText.hexadecimal128() }

    /// An empty file is a "no" too, and needs no room on the disk.
    private func writeNo() throws(FileFailure) {
        do throws(FileFailure) {
            try file.write(Self.off)
        } catch {
            do throws(FileFailure) { try file.empty() } catch _ { throw error }
        }
    }

    /// Takes the answer over from where it was kept before: a "no" always, a "yes" where there is no other answer.
    private func move(_ former: StateFile, _ state: inout State) {
        do throws(FileFailure) {
            guard let text = try former.read() else { return }
            if Self.mark(text) == nil {
                state.given = false
                write(false, &state)
            } else if try file.read() == nil {
                try file.write(text)
                try syncFolder(file.folder)
            }
            if state.failure == nil { try former.remove() }
        } catch {
            // Unreadable: it may be a "no". It stays, and is looked at again by the next run.
            state.given = false
        }
    }
}
