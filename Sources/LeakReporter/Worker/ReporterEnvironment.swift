import LeakMessage
internal import LeakPlatform
import LeakTransport

/// The environment of a reporter: everything that its threads use from outside.
struct ReporterEnvironment: Sendable {
    var bounds: LeakReporter.Bounds
    var backoff: Backoff
    var app: AppInfo
    var device: DeviceInfo
    var user: String?
    /// The destination of reports; `nil` if nothing can be sent, for the reason in ``Outbox/Rules/blockingReason``.
    var requestBuilder: RequestBuilder?
    var rules: Outbox.Rules
    /// The reason why nothing is sent, for ``LeakReporter/Statistics/lastFailure``.
    var problem: String?
    /// A closure that returns the installation's identifier. Called on the reporter's thread, because it may read a file.
    var install: @Sendable () -> String?
    /// A closure that deletes the installation's identifier, so that a new identifier is created the next time.
    var forgetInstall: @Sendable () -> Void = {}
    /// Absolute path of the folder of the choice about collecting, needed even if the queue is in memory.
    var choiceFolder: String
    /// Absolute path of the former folder of that choice, if the app has configured another folder.
    var formerChoiceFolder: String?
    /// Absolute path of the app's own folder; `nil` keeps everything in memory.
    var folder: String?
    /// Absolute path of the folder of the installation's identifier; `nil` if it is not stored.
    var installFolder: String?
    var collectsByDefault: Bool
    var warn: @Sendable (String) -> Void
    var makeTransport: @Sendable () -> any Transport
    /// A closure that returns the current time for the work of the reporter's thread.
    var now: @Sendable () -> CurrentTime = { .now }

    /// - Returns: `nil` if nothing is stored on the disk.
    func makeQueueFolder() -> (any SegmentFolder)? {
        guard let folder, let requestBuilder else { return nil }
        // Version 1 of the format. Other versions have their own folder and do not touch this folder.
        return RunFolder(ofQueue: requestBuilder.queueName(appID: app.id), in: folder + "/queue-1")
    }

    func makeChoice() -> CollectionChoice {
        CollectionChoice(
            Self.choiceFile(in: choiceFolder), formerFile: formerChoiceFolder.map(Self.choiceFile),
            collectsByDefault: collectsByDefault, now: now)
    }

    private static func choiceFile(in folder: String) -> StateFile {
        StateFile(folder: folder, name: "collection")
    }

    /// The file of ``DailyByteUsage``.
    var usageFile: StateFile? { folder.map { StateFile(folder: $0, name: "spent") } }
    /// A file that exists while the collector asks the app to send no explanations.
    var noExplanationsFile: StateFile? { folder.map { StateFile(folder: $0, name: "no-explanations") } }
}
