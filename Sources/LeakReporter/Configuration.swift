public import LeakMessage

extension LeakReporter {
    /// Where reports go, and from whom.
    public struct Configuration: Hashable, Sendable {
        /// The collector's address, such as `https://leaks.example.com`.
        public var endpoint: String
        /// An ingest key, as `collector key create` prints it.
        public var key: String
        /// Which build of which app; by default what the main bundle says.
        public var app: AppInfo
        /// Which model under which system; by default what the system says.
        public var device: DeviceInfo
        /// A random identifier of this installation, made by the app, so that the collector can tell how many
        /// devices have a leak. `nil`: it cannot.
        public var install: String?
        /// An identifier of the person that means nothing to anyone else.
        public var user: String?
        /// Lets reports and the key go unencrypted over `http://` to another machine. `http://localhost` needs no leave.
        public var allowsInsecure = false
        public var bounds = Bounds()

        public init(
            endpoint: String, key: String, app: AppInfo = .ofThisProcess, device: DeviceInfo = .ofThisSystem,
            install: String? = nil
        ) {
            self.endpoint = endpoint
            self.key = key
            self.app = app
            self.device = device
            self.install = install
        }
    }

    /// What the reporter may take of the app's memory and network.
    public struct Bounds: Hashable, Sendable {
        /// Reports that may wait. A device offline for days that leaks on every screen has a few hundred.
        public var waitingReports = 1_000
        /// Bytes of their texts together. A thousand reports of ordinary size are about half of it.
        public var waitingBytes = 1024 * 1024
        /// Reports in one batch.
        public var batchReports = 64
        /// Bytes of one batch before compression: the collector takes more, proxies in front of it often 1 MiB.
        public var batchBytes = 256 * 1024
        /// How long the first report waits for others, so that a screen's worth of leaks is one batch.
        public var gatherMilliseconds = 200
        /// How long checks and sessions alone wait for a report to travel with.
        public var gatherDenominatorsMilliseconds = 30_000

        public init() {}

        /// The bounds with what makes no sense put right: nothing waits for ever because a limit is 0.
        var sound: Bounds {
            var bounds = self
            bounds.waitingReports = max(waitingReports, 1)
            bounds.waitingBytes = max(waitingBytes, 16 * 1024)
            bounds.batchReports = min(max(batchReports, 1), WireLimits.reportsCount)
            bounds.batchBytes = max(batchBytes, 16 * 1024)
            bounds.gatherMilliseconds = max(gatherMilliseconds, 0)
            bounds.gatherDenominatorsMilliseconds = max(gatherDenominatorsMilliseconds, 0)
            return bounds
        }
    }
}
