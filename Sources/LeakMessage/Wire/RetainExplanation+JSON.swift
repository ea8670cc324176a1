// Writes explanations as the field `why` of the wire format.

extension RetainExplanation {
    /// Writes the fields of the explanation, cut to the limits of the wire format.
    ///
    /// A path that is too long is cut, and its full length is written beside it.
    package func write(to object: inout JSONWriter) {
        object.field("confidence", confidence.rawValue)
        if let path { path.write(to: &object) }
        if !furtherCycles.isEmpty {
            object.array("further_cycles") { array in
                for cycle in furtherCycles.prefix(WireLimits.furtherCyclesCount) {
                    array.object { cycle.write(to: &$0) }
                }
            }
        }
        if unexplainedReferences > 0 {
            object.field("unexplained", min(unexplainedReferences, WireLimits.maxExplanationNumber))
        }
        object.fieldIfPresent("holder", holder?.kind.rawValue)
        if !closureSites.isEmpty {
            object.array("closures") { array in
                for site in closureSites.prefix(WireLimits.pathReferenceCount) { array.element(site.element) }
            }
        }
        object.fieldIfPresent("global", global?.element)
        guard let cost else { return }
        object.field("bytes", min(max(0, cost.bytes), WireLimits.retainedBytes))
        object.field("objects", min(max(0, cost.objects), WireLimits.maxExplanationNumber))
        if cost.isAtLeast { object.field("at_least", true) }
    }
}

extension RetainPath {
    /// Returns the path as JSON, cut to the limits of the wire format.
    package func json() -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.object { write(to: &$0) }
        return writer.bytes
    }

    fileprivate func write(to object: inout JSONWriter) {
        let writtenReferences = references.prefix(WireLimits.pathReferenceCount)
        object.array("path") { array in
            for reference in writtenReferences { array.object { reference.write(to: &$0) } }
        }
        object.field("target", target.name(cutTo: WireLimits.classBytes))
        if isCycle { object.field("is_cycle", true) }
        let length = writtenReferences.count < references.count ? fullLength ?? references.count : fullLength
        object.fieldIfPresent("length", length.map { min(max(0, $0), WireLimits.maxExplanationNumber) })
    }
}

extension RetainReference {
    fileprivate func write(to object: inout JSONWriter) {
        // Readers reject a reference without an owner.
        object.field("owner", owner.isEmpty ? "unknown" : owner.name(cutTo: WireLimits.classBytes))
        if !field.isEmpty { object.field("field", field.name(cutTo: WireLimits.elementBytes)) }
        object.field("kind", kind.rawValue)
        if isClosure { object.field("closure", true) }
        if isSuspected { object.field("suspected", true) }
    }
}

extension ImageOffset {
    /// The offset as an element of a call stack: `0x41b9 in Shop (6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F00)`.
    package var element: String {
        ImageOffset.element(
            offset: offset, path: image, imageID: imageIdentifier.isEmpty ? nil : imageIdentifier)
    }

    /// Reads the text that ``element`` writes; `nil` for any other text.
    package init?(element: String) {
        let bytes = Text(element)
        let words = bytes.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[0].starts(with: Array("0x".utf8)), words[1].elementsEqual("in".utf8),
            let offset = UInt64(words[0].dropFirst(2).string, radix: 16)
        else { return nil }
        let image = words[2]
        guard image.last == UInt8(ascii: ")"), let opening = image.lastIndex(of: UInt8(ascii: "(")),
            opening > image.startIndex, image[opening - 1] == UInt8(ascii: " ")
        else {
            self.init(image: image.string, imageIdentifier: "", offset: offset)
            return
        }
        self.init(
            image: image[..<(opening - 1)].string,
            imageIdentifier: image[(opening + 1)...].dropLast().string, offset: offset)
    }
}
