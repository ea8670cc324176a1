import LeakMessage
internal import LeakPlatform
import LeakTransport

/// What a reporter stands on: everything that its threads ask of the world outside.
struct Ground: Sendable {
    var bounds: LeakReporter.Bounds
    var backoff: Backoff
    var app: AppInfo
    var device: DeviceInfo
    var user: String?
    /// `nil` when nothing can be sent, for the reason in ``Outbox/Rules/refusal``.
    var envelope: Envelope?
    var rules: Outbox.Rules
    /// Why nothing is sent; for ``LeakReporter/Statistics/lastFailure``.
    var trouble: String?
    /// Gives the installation's identifier. Called on the keeper's thread: it may read a file.
    var install: @Sendable () -> String?
    /// The next identifier is another one.
    var forgetInstall: @Sendable () -> Void = {}
    /// Absolute path of the folder of the choice about collecting, needed even if the queue is in memory.
    var choiceFolder: String
    /// Absolute path of its former folder, if the app has chosen another.
    var formerChoiceFolder: String?
    /// Absolute path of the app's own folder; `nil` keeps everything in memory.
    var folder: String?
    /// Absolute path of where the installation's identifier is kept; `nil` when none is.
    var installFolder: String?
    var collectsByDefault: Bool
    var warn: @Sendable (String) -> Void
    var makeTransport: @Sendable () -> any Transport
    /// The time at this moment, by which the keeper's thread does its work.
    var now: @Sendable () -> Now = { .now }

    /// - Returns: `nil` when nothing is kept on the disk.
    func makeQueueFolder() -> (any SegmentFolder)? {
        guard let folder, let envelope else { return nil }
        // Version 1 of the format. Another version has a folder of its own and leaves this one alone.
        return RunFolder(ofQueue: envelope.queueName(appID: app.id), in: folder + "/queue-1")
    }

    func makeChoice() -> CollectionChoice {
        CollectionChoice(
            Self.choiceFile(in: choiceFolder), formerFile: formerChoiceFolder.map(Self.choiceFile),
            collectsByDefault: collectsByDefault, now: now)
    }

    private static func choiceFile(in folder: String) -> StateFile {
        StateFile(folder: folder, name: "collection")
    }

    var spentFile: StateFile? { folder.map { StateFile(folder: $0, name: "spent") } }
    /// Exists while the collector asks for no explanations.
    var noExplanationsFile: StateFile? { folder.map { StateFile(folder: $0, name: "no-explanations") } }
}
