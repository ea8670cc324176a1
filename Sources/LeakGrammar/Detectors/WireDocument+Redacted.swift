internal import LeakMessage

extension WireDocument {
    /// The JSON of a report as ``LeakReport/redacted(keepsUserInfo:)`` leaves it, without its sender.
    ///
    /// Lists of names without private text are copied unchanged. They are the largest part of a report with a long call stack.
    ///
    /// - Parameter bytes: the limit of the JSON. A longer report loses breadcrumbs, keys and explanation; if it is still longer,
    ///   also its error and lists.
    package func redactedJSON(_ report: ReportSlices, within bytes: Int) -> [UInt8] {
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
        var kept = self.report(slices).redacted()
        let whole = json(kept)
        guard whole.count > bytes else { return whole }
        // The longest and least useful fields are left out first. Paths are stored with the leak, too.
        (kept.log, kept.keys, kept.explanation) = ([], [], nil)
        let shorter = json(kept)
        guard shorter.count > bytes else { return shorter }
        (kept.error, kept.stack, kept.children, kept.cycle, kept.fingerprint) = (nil, [], [], [], [])
        lists = []
        return json(kept)
    }

    /// Returns `true` for a list of strings that ``CallStack/redacted(_:)`` leaves as it is: nothing in it begins a
    /// description, a quotation or a JSON object, or is spelled with an escape sequence.
    private func isPlainList(_ list: JSONSlice) -> Bool {
        guard list.isPresent else { return false }
        return !bytes(of: list).contains { byte in
            // Bytes below 0x20 are line ends between strings, which would only use up space.
            byte < 0x20 || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "\\")
                || byte == UInt8(ascii: "{")
                || byte != UInt8(ascii: "\"") && PrivateText.isQuote(byte)
        }
    }
}
