import LeakTransport

#if !os(Linux)
    import LeakFoundationTransport
#endif

/// The transport of this platform: libcurl on Linux, `URLSession` on Apple's systems.
enum PlatformTransport {
    /// - Parameter pinnedPublicKeys: for Linux; on Apple's systems the app's Info.plist has them.
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
