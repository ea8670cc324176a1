internal import LeakHTTPServer

extension Settings {
    /// Returns the limits of a server with these settings.
    ///
    /// - Parameter loops: number of event loops of the server, among which the memory of arriving bodies is divided.
    func serverLimits(loops: Int) -> Limits {
        var limits = Limits()
        limits.connections = maxConnections
        limits.idleTime = .seconds(idleSeconds)
        limits.bodyBytes = bodyBytes
        // The buffer of a body of unknown length grows by doubling, and the old and the new buffer are in memory together for a
        // moment. So each loop's share has room for three of the largest bodies.
        let largest = max(bodyBytes, SentryIngest.maxBodyBytes)
        limits.uploadBytes = max(limits.uploadBytes, 4 * bodyBytes * loops, 3 * largest * loops)
        limits.inflatedBytes = max(limits.inflatedBytes, largest)
        limits.lingerBytes = max(limits.lingerBytes + largest, 4 * bodyBytes)
        return limits
    }
}
