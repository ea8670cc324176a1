internal import Foundation
internal import LeakPlatform
import LeakTransport

/// The environment of a reporter: the settings that the app chose, and everything that the reporter's threads use from outside.
struct ReporterEnvironment: Sendable {
    /// The app's settings, with ``LeakReporter/Bounds/validated`` bounds.
    let configuration: LeakReporter.Configuration
    var backoff: Backoff
    /// The destination of reports; `nil` if nothing can be sent, for the reason in ``blockingReason``.
    var requestBuilder: RequestBuilder?
    /// The reason why nothing is stored or sent; `nil` if there is none.
    var blockingReason: LeakReporter.DropReason?
    /// `true` if sampling excludes this run, so that nothing of it is sent.
    var isSampledOut: Bool
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
    var makeTransport: @Sendable () -> any Transport
    /// A closure that returns the current time for the work of the reporter's thread.
    var now: @Sendable () -> CurrentTime = { .now }

    /// - Returns: `nil` if nothing is stored on the disk.
    func makeQueueFolder() -> (any SegmentFolder)? {
        guard let folder, let requestBuilder else { return nil }
        // Version 1 of the format. Other versions have their own folder and do not touch this folder.
        return RunFolder(
            ofQueue: requestBuilder.queueName(appID: configuration.app.id), in: folder + "/queue-1")
    }

    func makeChoice() -> CollectionChoice {
        CollectionChoice(
            Self.choiceFile(in: choiceFolder), formerFile: formerChoiceFolder.map(Self.choiceFile),
            collectsByDefault: configuration.collectsByDefault, now: now)
    }

    private static func choiceFile(in folder: String) -> StateFile {
        StateFile(folder: folder, name: "collection")
    }

    /// The file of ``DailyByteUsage``.
    var usageFile: StateFile? { folder.map { StateFile(folder: $0, name: "spent") } }
    /// A file that exists while the collector asks the app to send no explanations.
    var noExplanationsFile: StateFile? { folder.map { StateFile(folder: $0, name: "no-explanations") } }
}

extension ReporterEnvironment {
    init(
        _ configuration: LeakReporter.Configuration, backoff: Backoff,
        makeTransport: @escaping @Sendable () -> any Transport
    ) {
        var configuration = configuration
        configuration.bounds = configuration.bounds.validated
        self.configuration = configuration
        self.backoff = backoff
        self.makeTransport = makeTransport
        isSampledOut = !ReportQuota.isSampled(
            rate: configuration.bounds.sampleRate, random: .random(in: 0..<1))
        let installFile = InstallFile.fileOfThisUser(configuration.app)
        folder = Self.folder(configuration.storage, standard: installFile.folder)
        choiceFolder = folder ?? installFile.folder
        let isTestRun = configuration.app.environment?.lowercased() == Self.testEnvironment
        install = Self.install(configuration.install, installFile)
        if configuration.install == .kept, isTestRun {
            let identifier = Guarded(RandomText.hexadecimal128())
            install = { identifier.with { $0 } }
            forgetInstall = { identifier.with { $0 = RandomText.hexadecimal128() } }
        } else if configuration.install == .kept {
            forgetInstall = { installFile.forget() }
            installFolder = installFile.folder
        }
        var hasFolder = false
        do throws(Misconfiguration) {
            if case .folder(let path) = configuration.storage { try Self.validate(path: path) }
            hasFolder = true
            if let shared = try Self.folder(configuration.consentStorage) {
                (choiceFolder, formerChoiceFolder) = (shared, choiceFolder)
            }
            requestBuilder = try RequestBuilder(configuration)
        } catch {
            blockingReason = .misconfigured
            folder = nil
            // A refusal in this run must be found by the next start, whose configuration may be valid again.
            if !hasFolder { (choiceFolder, formerChoiceFolder) = (installFile.folder, nil) }
            problem = error.description
        }
    }

    private static func folder(_ storage: LeakReporter.Storage, standard: String) -> String? {
        switch storage {
        case .standard: standard
        case .folder(let path): path
        case .memory: nil
        }
    }

    /// - Returns: the path of the folder; `nil` for the reporter's own folder.
    private static func folder(
        _ storage: LeakReporter.ConsentStorage
    ) throws(Misconfiguration) -> String? {
        switch storage {
        case .standard: return nil
        case .folder(let path):
            try validate(path: path)
            return path
        case .appGroup(let identifier):
            guard let container = AppGroup.container(identifier) else {
                throw .unavailableAppGroup(identifier: identifier)
            }
            return container + "/LeakReporter"
        }
    }

    private static func validate(path: String) throws(Misconfiguration) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .relativeFolder(path: path) }
    }

    /// The environment in which each run of the app has an identifier of its own.
    private static let testEnvironment = "ci"

    private static func install(
        _ install: LeakReporter.Install, _ file: InstallFile
    ) -> @Sendable () -> String? {
        switch install {
        case .kept: { file.identifier() }
        case .none: { nil }
        case .given(let identifier): { identifier }
        }
    }
}
