import LeakTransport

#if !os(Linux)
    import LeakFoundationTransport
#endif

/// The transport of this platform: libcurl on Linux, `URLSession` on Apple's systems.
enum PlatformTransport {
    /// - Parameter pinnedPublicKeys: the pins, for Linux only; on Apple's systems they are in the app's Info.plist.
    static func make(
        limits: TransportLimits = TransportLimits(), pinnedPublicKeys: [String] = []
    ) -> any Transport {
        #if os(Linux)
            CurlTransport(limits: limits, pinnedPublicKeys: pinnedPublicKeys)
        #else
            URLSessionTransport(limits: limits)
        #endif
    }
}
