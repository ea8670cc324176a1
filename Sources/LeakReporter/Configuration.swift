public import LeakMessage
internal import LeakPlatform

extension LeakReporter {
    /// Where reports go, and from whom.
    public struct Configuration: Sendable {
        /// The collector's address, such as `https://leaks.example.com`.
        public var endpoint: String
        /// An ingest key, as `collector key create` prints it.
        public var key: String
        /// Which build of which app; by default what the main bundle says.
        public var app: AppInfo
        /// Which model under which system; by default what the system says.
        public var device: DeviceInfo
        /// How this installation is told from others, so that the collector can count the devices that have a leak.
        public var install: Install
        /// An identifier of the person that means nothing to anyone else.
        public var user: String?
        /// Lets reports and the key go unencrypted over `http://` to another machine. `http://localhost` needs no leave.
        public var allowsInsecure = false
        /// The public keys that the collector, or the proxy in front of it, may have; with none, any certificate will do that
        /// the system trusts. Each is `sha256//` and the base64 of the SHA-256 of the key's DER form, which this prints:
        ///
        /// ```sh
        /// openssl s_client -connect leaks.example.com:443 -servername leaks.example.com </dev/null 2>/dev/null |
        ///     openssl x509 -noout -pubkey | openssl pkey -pubin -outform der |
        ///     openssl dgst -sha256 -binary | openssl base64 | sed 's,^,sha256//,'
        /// ```
        ///
        /// Give the key in use and the next one, kept offline: an app in the stores cannot be told of a new one. The
        /// certificate is verified besides. On Linux alone; on Apple's systems `NSPinnedDomains` in the app's Info.plist does
        /// it.
        /// https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity
        public var pinnedPublicKeys: [String] = []
        public var bounds = Bounds()
        /// The place in which reports wait.
        public var storage = Storage.standard
        /// The place of the user's choice about collecting; see ``LeakReporter/setCollectionEnabled(_:)``.
        public var consentStorage = ConsentStorage.standard
        /// Takes the texts of users out of reports on the device, before they are kept; see ``Redaction``.
        public var redaction = Redaction.standard
        /// Sees each report before it is kept, as ``redaction`` left it, and may change it or, with `nil`, have it thrown away.
        /// Called on a thread of the reporter's, one report after another.
        ///
        /// A redactor of the app's own is such a closure, with ``Redaction/none`` to see the texts as they were recorded. A
        /// report whose text it takes away keeps the class and path that the text named. If it takes away anything else that tells
        /// which leak it is, such as another text, the class, or an error, a hash of that is sent as the fingerprint.
        public var beforeSend: (@Sendable (LeakReport) -> LeakReport?)?
        /// Whether reports are kept and sent until ``LeakReporter/setCollectionEnabled(_:)`` says otherwise: `false` for an
        /// app that asks its users first.
        public var collectsByDefault = true
        /// Off, reports are kept and wait for ``LeakReporter/sendUnsentReports()``.
        public var sendsAutomatically = true
        /// Told once when nothing will be sent before the app is changed: an endpoint or a key that cannot be used. By
        /// default it writes a line to standard error. Called on a thread of the reporter's.
        public var warn: @Sendable (String) -> Void = { StandardError.write($0) }

        public init(
            endpoint: String, key: String, app: AppInfo = .ofThisProcess, device: DeviceInfo = .ofThisSystem,
            install: Install = .kept
        ) {
            self.endpoint = endpoint
            self.key = key
            self.app = app
            self.device = device
            self.install = install
        }
    }

    /// How one installation of the app is told from the others.
    public enum Install: Hashable, Sendable {
        /// A random identifier, made once and kept in a file of the app's, mode 0600: in its support folder, which is not
        /// backed up (in the caches folder on tvOS), on Linux under `$XDG_STATE_HOME` or `~/.local/state`. Where it
        /// cannot be kept it is that of this run.
        case kept
        /// None is sent: how many devices have a leak is then not known.
        case none
        /// One that the app has made, such as a random number that it keeps itself.
        case given(String)
    }

    /// The texts that are removed from reports before they are stored on the device.
    public enum Redaction: Hashable, Sendable {
        /// Texts of users: of the description of an object all behind its address, such as the text of a field, titles of
        /// alerts, quotations; and in the texts of detectors and errors e-mail addresses, queries and credentials of URLs, names
        /// of home folders, numbers of seven digits and more, and values of keys such as `password`. Class, path and group of the
        /// leak stay the same. Custom values, lines of the log, reasons and fingerprints lose what descriptions of objects in them
        /// say, and nothing else.
        case standard
        /// Nothing: reports leave the device as they were recorded.
        case none
    }

    /// Where reports wait until they are sent.
    public enum Storage: Hashable, Sendable {
        /// In a folder of the app's: in its support folder, which is not backed up (in the caches folder on tvOS), on Linux
        /// under `$XDG_STATE_HOME` or `~/.local/state`. They survive the end of the process, however it ends.
        case standard
        /// In this folder, an absolute path. Processes may share it.
        case folder(String)
        /// In memory: the end of the process takes what was not sent.
        case memory
    }

    /// The place of the user's choice about collecting. Processes that share it stop together.
    ///
    /// Reports wait in the folder of ``Storage`` in any case. A choice that was made before the app set this one is taken over.
    public enum ConsentStorage: Hashable, Sendable {
        /// In the folder of ``Storage``; for ``Storage/memory`` in that of ``Storage/standard``. An app and its extension
        /// have a folder each.
        case standard
        /// In the container of this app group: for an app and its extensions. On Apple's systems alone; each of them needs the
        /// entitlement, without which nothing is kept or sent.
        case appGroup(String)
        /// In this folder, an absolute path.
        case folder(String)
    }

    /// What the reporter may take of the app's memory, disk and network.
    public struct Bounds: Hashable, Sendable {
        /// Bytes of reports that wait in memory, where there is no disk to take them, and of those that wait to be written
        /// down. A thousand reports of ordinary size are about half of it.
        public var memoryBytes = 1024 * 1024
        /// Bytes of the files in which reports wait, of each 4 KiB at least: at most 2,048 files. Ten thousand reports of ordinary
        /// size are about half of it.
        public var diskBytes = 8 * 1024 * 1024
        /// Reports in one batch; up to 1,000 once half of ``bytesPerDay`` is spent, since each batch has a head.
        public var batchReports = 64
        /// Bytes of one batch before compression: the collector takes more, proxies in front of it often 1 MiB.
        public var batchBytes = 256 * 1024
        /// How long a leak that is new in this session waits for others, so that a screen's worth of leaks is one batch.
        public var gatherMilliseconds = 200
        /// How long leaks that were seen before wait, to be counted up meanwhile.
        public var gatherRepeatsMilliseconds = 60_000
        /// How long checks and sessions alone wait for a report to travel with.
        public var gatherDenominatorsMilliseconds = 30_000
        /// How often the app is asked for its checks while a session goes on, see
        /// ``LeakReporter/startSession(checks:)``: what a killed process did not say is not known.
        public var pollMilliseconds = 30_000
        /// Different leaks that are reported in one session, or in 24 hours of one. An app with as many has another problem
        /// than the next one; Crashlytics keeps eight.
        public var reportsPerSession = 200
        /// Bytes of batches with reports that are sent in one UTC day, before compression: a hundredth of what a phone's user
        /// notices. Once half of them are used, leaks that were reported before in the session are collected for an hour before
        /// they are sent. Once all are used, new leaks are dropped, and repeats may use as many bytes again, so that their counts
        /// stay right.
        public var bytesPerDay = 4 * 1024 * 1024
        /// The share of runs that report, from 0 to 1, drawn by lot at the start. Checks and sessions of the other runs are
        /// left out as well, so that shares stay right; their leaks are counted as ``DropReason/sampled``.
        public var sampleRate = 1.0
        /// How long `exit` may take to send what waits. It is on the disk before.
        public var exitMilliseconds = 1_000
        /// How long an app with UIKit that goes to the background is kept from being suspended, to send what waits. The
        /// system gives about half a minute; a batch takes a second on a slow network, and where none went in five none will.
        public var backgroundMilliseconds = 5_000

        public init() {}

        /// The bounds with what makes no sense put right: nothing waits for ever because a limit is 0.
        var sound: Bounds {
            var bounds = self
            bounds.memoryBytes = max(memoryBytes, 64 * 1024)
            bounds.diskBytes = max(diskBytes, 64 * 1024)
            // Each may be a leak of its own.
            bounds.batchReports = min(max(batchReports, 1), WireLimits.leaksCount)
            bounds.batchBytes = max(batchBytes, 16 * 1024)
            bounds.gatherMilliseconds = max(gatherMilliseconds, 0)
            bounds.gatherRepeatsMilliseconds = max(gatherRepeatsMilliseconds, 0)
            bounds.gatherDenominatorsMilliseconds = max(gatherDenominatorsMilliseconds, 0)
            bounds.pollMilliseconds = max(pollMilliseconds, 1_000)
            bounds.reportsPerSession = max(reportsPerSession, 0)
            bounds.bytesPerDay = max(bytesPerDay, 0)
            bounds.exitMilliseconds = min(max(exitMilliseconds, 0), 60_000)
            // The app has the rest of the system's half minute for itself.
            bounds.backgroundMilliseconds = min(max(backgroundMilliseconds, 0), 20_000)
            return bounds
        }
    }
}
