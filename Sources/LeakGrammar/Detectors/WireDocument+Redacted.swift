internal import LeakMessage

extension WireDocument {
    /// Returns the JSON of a report that ``LeakReport/redacted(keepsUserInfo:)`` redacted, without the fields about its sender.
    ///
    /// Lists of names without private text are copied unchanged, because they are the largest part of a report with a long call stack.
    ///
    /// - Parameter byteLimit: the limit of the JSON in bytes. A longer report loses breadcrumbs, keys and explanation; if it is
    ///   still too long, it also loses its error, fingerprint and lists of names.
    package func redactedJSON(_ report: ReportSlices, within byteLimit: Int) -> [UInt8] {
        var slices = report
        slices.origin = OriginSlices()
        var lists: [(name: String, json: JSONSlice)] = []
        func moveToLists(_ list: WritableKeyPath<ReportSlices, JSONSlice>, _ name: String) {
            let slice = slices[keyPath: list]
            guard isPlainList(slice) else { return }
            lists.append((name, slice))
            slices[keyPath: list] = .absent
        }
        moveToLists(\.stack, "stack")
        moveToLists(\.children, "children")
        moveToLists(\.cycle, "cycle")
        func json(_ report: LeakReport) -> [UInt8] {
            var writer = JSONWriter(capacity: 640 + lists.reduce(0) { $0 + $1.json.count })
            writer.object { object in
                report.writeFields(to: &object)
                for list in lists { object.field(list.name, json: self.bytes(of: list.json)) }
            }
            return writer.bytes
        }
        var redacted = self.report(slices).redacted()
        let fullJSON = json(redacted)
        guard fullJSON.count > byteLimit else { return fullJSON }
        // The longest and least useful fields are left out first. The retain paths of explanations are also
        // stored with the leak.
        (redacted.log, redacted.keys, redacted.explanation) = ([], [], nil)
        let shorterJSON = json(redacted)
        guard shorterJSON.count > byteLimit else { return shorterJSON }
        (redacted.error, redacted.stack, redacted.children, redacted.cycle, redacted.fingerprint) = (
            nil, [], [], [], []
        )
        lists = []
        return json(redacted)
    }

    /// Returns `true` for a list of strings that ``CallStack/redacted(_:rounds:)`` leaves unchanged. Such a list has no byte that begins a
    /// description, a quotation, a JSON object or an escape sequence.
    private func isPlainList(_ list: JSONSlice) -> Bool {
        guard list.isPresent else { return false }
        let isSpecialByte = Self.isSpecialByte
        return !bytes(of: list).contains { isSpecialByte[Int($0)] }
    }

    /// `true` for the bytes that begin a description, a quotation, a JSON object or an escape sequence, and for bytes below
    /// 0x20: line ends between strings, which would only use up space. The index is the byte.
    private static let isSpecialByte = (UInt8.min...UInt8.max).map { byte in
        byte < 0x20 || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "{")
            || byte != UInt8(ascii: "\"") && PrivateTextRemover.isQuote(byte)
    }
}
