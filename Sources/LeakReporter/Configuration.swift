public import LeakMessage
internal import LeakPlatform

extension LeakReporter {
    /// The settings of a reporter: the destination of its reports, the app and device that they name, storage and limits.
    public struct Configuration: Sendable {
        /// The collector's address, such as `https://leaks.example.com`.
        public var endpoint: String
        /// An ingest key, as `collector key create` prints it.
        public var key: String
        /// The app and its build; by default taken from the main bundle.
        public var app: AppInfo
        /// The model of the device and its system; by default as the system reports them.
        public var device: DeviceInfo
        /// The identifier of this installation, so that the collector can count the devices that have a leak.
        public var install: Install
        /// An identifier of the user that is meaningless to others; `nil` sends none.
        public var user: String?
        /// `true` allows sending reports and the key unencrypted over `http://` to another machine. `http://localhost` is always
        /// allowed.
        public var allowsInsecure = false
        /// The public keys that the collector, or the proxy in front of it, may have; if empty, every certificate is accepted that
        /// the system trusts. Each entry is `sha256//` and the base64 of the SHA-256 of the key in DER form, which this prints:
        ///
        /// ```sh
        /// openssl s_client -connect leaks.example.com:443 -servername leaks.example.com </dev/null 2>/dev/null |
        ///     openssl x509 -noout -pubkey | openssl pkey -pubin -outform der |
        ///     openssl dgst -sha256 -binary | openssl base64 | sed 's,^,sha256//,'
        /// ```
        ///
        /// Give the current key and the next key, which is kept offline: an app from a store gets a new key only with an update.
        /// The certificate is verified in addition. Only on Linux; on Apple's systems, use `NSPinnedDomains` in the app's
        /// Info.plist. https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity
        public var pinnedPublicKeys: [String] = []
        /// Limits on the memory, disk and network that the reporter may use.
        public var bounds = Bounds()
        /// The folder or memory in which reports wait.
        public var storage = Storage.standard
        /// The folder with the user's choice about collecting; see ``LeakReporter/setCollectionEnabled(_:)``.
        public var consentStorage = ConsentStorage.standard
        /// The texts that are removed from reports on the device, before the reports are stored.
        public var redaction = Redaction.standard
        /// A closure that is called with each report before it is stored, after ``redaction``. It may change the report, or discard
        /// it by returning `nil`. Called on a thread of the reporter, with one report after another.
        ///
        /// Use it for the app's own redaction; with ``Redaction/none`` it receives the texts as they were recorded. If it
        /// removes the text of a report, the report keeps the class and path that the text named. If it removes anything else
        /// that identifies the leak, such as another text, the class, or an error, a hash of the removed values is sent as the
        /// fingerprint.
        public var beforeSend: (@Sendable (LeakReport) -> LeakReport?)?
        /// `true` if reports are stored and sent until ``LeakReporter/setCollectionEnabled(_:)`` is called. Set it to `false` for
        /// an app that asks its users first.
        public var collectsByDefault = true
        /// If `false`, reports are stored and wait for ``LeakReporter/sendUnsentReports()``.
        public var sendsAutomatically = true
        /// A closure that is called once if nothing can be sent until a person acts, because this configuration cannot be used or
        /// the collector rejects the key. By default it writes a line to standard error. Called on a thread of the reporter.
        public var warn: @Sendable (String) -> Void = { StandardError.write($0) }

        /// Creates a configuration. All other settings have the defaults stated at the properties.
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

    /// The choice of the identifier that distinguishes this installation of the app from others. The collector counts
    /// installations by it.
    public enum Install: Hashable, Sendable {
        /// A random identifier, created once and stored in a file of the app with mode 0600: in its support folder, which is
        /// not backed up (in the caches folder on tvOS), on Linux under `$XDG_STATE_HOME` or `~/.local/state`. If it cannot be
        /// stored, it is valid for this run only. In the environment `ci`, each run has its own identifier, because the release
        /// check counts runs that are independent of each other, even if all of them ran on one simulator.
        case kept
        /// No identifier is sent. The number of devices that have a leak is unknown then.
        case none
        /// An identifier from the app, such as a random number that the app stores itself.
        case given(String)
    }

    /// The texts that are removed from reports before they are stored on the device.
    public enum Redaction: Hashable, Sendable {
        /// Removes texts of users. In the description of an object, everything after its address is removed, such as the text of a
        /// field, titles of alerts, quotations. In the texts of detectors and errors, e-mail addresses, queries and credentials of
        /// URLs, names of home folders, numbers of seven digits and more, and values of keys such as `password` are removed. Class,
        /// path and group of the leak stay the same. Custom values, lines of the log, reasons and fingerprints lose only the
        /// content of object descriptions in them.
        case standard
        /// Removes nothing: reports leave the device as they were recorded.
        case none
    }

    /// The folder or memory in which reports wait until they are sent.
    public enum Storage: Hashable, Sendable {
        /// In a folder of the app: in its support folder, which is not backed up (in the caches folder on tvOS), on Linux under
        /// `$XDG_STATE_HOME` or `~/.local/state`. Reports survive the end of the process, however it ends.
        case standard
        /// In this folder, an absolute path. Processes may share it.
        case folder(String)
        /// In memory: unsent reports are lost when the process ends.
        case memory
    }

    /// The folder with the user's choice about collecting. If the user refuses in one process, all processes that share the
    /// folder stop collecting.
    ///
    /// Reports do not wait in this folder, but in the folder of ``Storage``. A choice that was made before the app configured
    /// this folder is adopted.
    public enum ConsentStorage: Hashable, Sendable {
        /// In the folder of ``Storage``; for ``Storage/memory``, in the folder of ``Storage/standard``. An app and its extension
        /// have separate folders.
        case standard
        /// In the container of this app group, for an app and its extensions. Only on Apple's systems. The app and each extension
        /// need the entitlement; without it, nothing is stored or sent.
        case appGroup(String)
        /// In this folder, an absolute path.
        case folder(String)
    }

    /// Limits on the memory, disk and network that the reporter may use.
    public struct Bounds: Hashable, Sendable {
        /// The most bytes of reports in memory: reports that cannot be written to disk, and reports that are still to be
        /// written. A thousand reports of ordinary size take about half of it.
        public var memoryBytes = 1024 * 1024
        /// The most bytes of the files in which reports wait; each file counts as at least 4 KiB, so there are at most 2,048
        /// files. Ten thousand reports of ordinary size take about half of it.
        public var diskBytes = 8 * 1024 * 1024
        /// The most reports in one batch. Once half of ``bytesPerDay`` is used, the limit is 1,000, because each batch repeats
        /// the app, the device and the user.
        public var batchReports = 64
        /// The most bytes of one batch before compression. The collector accepts more; proxies in front of it often accept 1 MiB.
        public var batchBytes = 256 * 1024
        /// Milliseconds that the first report of a leak in a session waits for reports of other leaks, so that all leaks of a
        /// screen are sent in one batch.
        public var gatherMilliseconds = 200
        /// Milliseconds that a sighting waits if its leak was already reported in this session, so that further sightings are
        /// counted together with it.
        public var gatherRepeatsMilliseconds = 60_000
        /// Milliseconds for which counts of checks and sessions wait for a report, so that they are sent in the same batch.
        public var gatherDenominatorsMilliseconds = 30_000
        /// Interval in milliseconds at which the app is asked for its checks during a session, see
        /// ``LeakReporter/startSession(checks:)``. While the app returns no checks, the interval doubles each time, up to 15
        /// minutes. Checks that a killed process had not delivered are lost.
        public var pollMilliseconds = 30_000
        /// The most different leaks that are reported in one session, or in 24 hours of a longer session. An app with that many
        /// leaks has a more general problem. Crashlytics keeps eight non-fatal errors per session.
        public var reportsPerSession = 200
        /// The most bytes of batches with reports in one UTC day, before compression: about a hundredth of the traffic that the
        /// user of a phone notices. Once half of them are used, further sightings of leaks that were already reported in the
        /// session wait for an hour. Once all are used, new leaks are dropped, and further sightings may use as many bytes
        /// again, so that their counts stay right.
        public var bytesPerDay = 4 * 1024 * 1024
        /// The share of runs that report, from 0 to 1; drawn at random at the start. Checks and sessions of the other runs are not
        /// sent either, so that ratios stay right; their leaks are counted as ``DropReason/sampled``.
        public var sampleRate = 1.0
        /// Milliseconds that `exit` may take to send the waiting reports. The next run sends reports on the disk that were not
        /// sent in time.
        public var exitMilliseconds = 1_000
        /// Milliseconds for which an app with UIKit delays its suspension in the background to send the waiting reports. The system
        /// gives about half a minute; a batch takes a second on a slow network, and if no batch was sent within five seconds, a
        /// longer wait rarely helps.
        public var backgroundMilliseconds = 5_000

        /// Creates the default limits.
        public init() {}

        /// The bounds with invalid values corrected, so that nothing waits forever because a limit is 0.
        var validated: Bounds {
            var bounds = self
            bounds.memoryBytes = max(memoryBytes, 64 * 1024)
            bounds.diskBytes = max(diskBytes, 64 * 1024)
            // Each report may be a different leak.
            bounds.batchReports = min(max(batchReports, 1), WireLimits.leaksCount)
            bounds.batchBytes = max(batchBytes, 16 * 1024)
            bounds.gatherMilliseconds = max(gatherMilliseconds, 0)
            bounds.gatherRepeatsMilliseconds = max(gatherRepeatsMilliseconds, 0)
            bounds.gatherDenominatorsMilliseconds = max(gatherDenominatorsMilliseconds, 0)
            bounds.pollMilliseconds = max(pollMilliseconds, 1_000)
            bounds.reportsPerSession = max(reportsPerSession, 0)
            bounds.bytesPerDay = max(bytesPerDay, 0)
            bounds.exitMilliseconds = min(max(exitMilliseconds, 0), 60_000)
            // The rest of the system's half minute is left to the app.
            bounds.backgroundMilliseconds = min(max(backgroundMilliseconds, 0), 20_000)
            return bounds
        }
    }
}
