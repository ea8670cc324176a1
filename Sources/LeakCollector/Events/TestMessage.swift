internal import LeakHTTPClient

extension Settings {
    /// Sends a test message to each notification channel, and prints each request and its answer, without secrets.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - write: prints a line.
    /// - Returns: `true` if all messages were accepted.
    /// - Throws: ``SettingError`` without a channel.
    public func sendTestMessages(now: Int64, write: (String) -> Void) throws -> Bool {
        guard !channels.isEmpty else {
            throw SettingError(
                source: Setting.notify.variable,
                problem: "is not set; set it to the address of a webhook, as docs/NOTIFICATIONS.md shows")
        }
        var areAccepted = true
        #if os(Linux)
            let client = try ChannelClient(allowsPrivateAddresses: notifiesPrivateAddresses)
            for (index, channel) in channels.enumerated() {
                let message = ChannelMessage(
                    events: [], address: url ?? "http://localhost:\(port)", time: now)
                let request = message.request(to: channel)
                write("\(index + 1). \(channel.name)")
                write(
                    "   \(channel.mail == nil ? "POST" : "send to") \(channel.url.prefix { $0 != ":" })://\(channel.host)/…"
                )
                for field in request.fields {
                    write("   \(field.name): \(field.name == "Authorization" ? "…" : field.value)")
                }
                for line in String(decoding: request.body, as: UTF8.self).split(whereSeparator: \.isNewline) {
                    write("   \(line)")
                }
                switch client.send(request) {
                case .accepted: write("   accepted")
                case .failed(let reason, _):
                    write("   failed: \(reason)")
                    areAccepted = false
                }
            }
        #endif
        return areAccepted
    }
}
