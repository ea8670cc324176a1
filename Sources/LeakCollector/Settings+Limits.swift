internal import LeakHTTPServer

extension Settings {
    /// The limits of a server with these settings.
    ///
    /// - Parameter loops: threads of the server, among which the memory of arriving bodies is divided.
    func serverLimits(loops: Int) -> Limits {
        var limits = Limits()
        limits.connections = connections
        limits.idleTime = .seconds(idleSeconds)
        limits.bodyBytes = bodyBytes
        // The room of a body of unknown length grows by doubling: one largest body must fit in each loop's share.
        let largest = max(bodyBytes, SentryIngest.bodyBytes)
        limits.uploadBytes = max(limits.uploadBytes, 4 * bodyBytes * loops, 3 * largest * loops)
        limits.inflatedBytes = max(limits.inflatedBytes, largest)
        limits.lingerBytes = max(limits.lingerBytes + largest, 4 * bodyBytes)
        return limits
    }
}
