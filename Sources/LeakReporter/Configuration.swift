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
        /// certificate is verified besides. On Linux and macOS alone; on iOS, tvOS and visionOS `NSPinnedDomains` in the
        /// app's Info.plist does it.
        /// https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity
        public var pinnedPublicKeys: [String] = []
        public var bounds = Bounds()

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
            // Each may be a leak of its own.
            bounds.batchReports = min(max(batchReports, 1), WireLimits.leaksCount)
            bounds.batchBytes = max(batchBytes, 16 * 1024)
            bounds.gatherMilliseconds = max(gatherMilliseconds, 0)
            bounds.gatherDenominatorsMilliseconds = max(gatherDenominatorsMilliseconds, 0)
            return bounds
        }
    }
}
