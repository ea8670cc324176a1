/// A call stack in JSON: of a MetricKit diagnostic, an `.ips` report, a Sentry event or a KSCrash report, or frames as ``JSONFrame``
/// writes them.
///
/// MetricKit: https://developer.apple.com/documentation/metrickit/mxcallstacktree. `.ips`:
/// https://developer.apple.com/documentation/xcode/interpreting-the-json-format-of-a-crash-report.
struct JSONCallStack {
    /// The text in front of the JSON.
    let head: Text
    /// True for a diagnostic or a crash report, in which no name is a leaked class.
    let isReport: Bool
    /// The innermost first.
    let frames: [JSONFrame.Fields]

    /// - Parameter text: JSON texts behind each other, perhaps with lines in front.
    /// - Returns: `nil` for a text with fewer than two frames.
    init?(_ text: Text) {
        guard text.contains(UInt8(ascii: "{")) else { return nil }
        let marks: [StaticString] = ["rames\"", "contents\"", "{\"function\":", "{\"package\":"]
        let line = text.lines.prefix(Self.lineLimit).lazy.map(\.trimmed).first {
            $0.first == UInt8(ascii: "{")
        }
        guard let line, marks.contains(where: { text[line.startIndex...].contains($0) }) else { return nil }
        let values = JSONNode.values(of: text[line.startIndex...])
        var search = Search()
        for value in values { search.look(into: value, under: "") }
        let images = values.lazy.compactMap { $0["usedImages"] }.first?.elements ?? []
        let own = values.map { JSONFrame.Fields($0.members) }
        let found = search.best ?? (own.allSatisfy(\.saysPlace) ? own : [])
        let frames = found.prefix(WireLimits.stackCount).map { $0.named(by: images) }.filter(\.saysPlace)
        guard frames.count >= 2 else { return nil }
        self.frames = Self.isOutermostFirst(frames) ? frames.reversed() : frames
        head = text[..<line.startIndex].trimmed
        isReport = values.contains {
            $0["usedImages"] != nil || $0["callStackTree"] != nil || $0["callStacks"] != nil
        }
    }

    /// Lines that are looked at for the start of the JSON.
    private static let lineLimit = 16

    /// Returns true if the first frame is the one in which threads begin.
    private static func isOutermostFirst(_ frames: [JSONFrame.Fields]) -> Bool {
        func isStart(_ frame: JSONFrame.Fields?) -> Bool {
            ["dyld", "libdyld.dylib", "libsystem_pthread.dylib"].contains(frame?.image ?? "")
        }
        return isStart(frames.first) && !isStart(frames.last)
    }

    /// Looks for lists of frames.
    private struct Search {
        private var first: [JSONFrame.Fields]?
        /// The frames of the thread that the report is about.
        private var marked: [JSONFrame.Fields]?

        var best: [JSONFrame.Fields]? { marked ?? first }

        mutating func look(into value: JSONNode, under name: String) {
            for element in value.elements { look(into: element, under: name) }
            for member in value.members {
                let frames = Self.frames(member)
                guard frames.count >= 2 else {
                    look(into: member.value, under: member.name)
                    continue
                }
                // Sentry has the outermost call first.
                let list = name == "stacktrace" ? frames.reversed() : frames
                first = first ?? list
                if marked == nil, Self.isMarked(value) { marked = list }
            }
        }

        private static func isMarked(_ thread: JSONNode) -> Bool {
            thread.members.contains { member in
                guard case .boolean(true) = member.value else { return false }
                return ["threadAttributed", "triggered", "crashed"].contains(member.name)
            }
        }

        private static func frames(_ member: JSONNode.Member) -> [JSONFrame.Fields] {
            switch member.name {
            case "frames", "contents":
                return member.value.elements.map { JSONFrame.Fields($0.members) }.filter(\.isFrame)
            case "callStackRootFrames":
                var frames: [JSONFrame.Fields] = []
                var next = member.value.elements.first
                while let frame = next {
                    frames.append(JSONFrame.Fields(frame.members))
                    next = frame["subFrames"]?.elements.first
                }
                return frames.filter(\.isFrame)
            default: return []
            }
        }
    }
}

extension JSONFrame.Fields {
    /// True if there is a function, or an image with an offset in it.
    fileprivate var saysPlace: Bool {
        symbol != nil || image != nil && (offset != nil || textOffset != nil || imageStart != nil)
    }

    /// - Parameter images: the report's list of images.
    fileprivate func named(by images: [JSONNode]) -> JSONFrame.Fields {
        guard let imageIndex, images.indices.contains(imageIndex) else { return self }
        var named = JSONFrame.Fields(
            images[imageIndex].members.compactMap { member in
                let names = ["name": "imageName", "uuid": "debug_id"]
                return names[member.name].map { JSONNode.Member(name: $0, value: member.value) }
            })
        named.symbol = symbol
        named.module = module
        named.image = image ?? named.image
        named.imageID = imageID ?? named.imageID
        (named.imageStart, named.address) = (imageStart, address)
        (named.offset, named.textOffset) = (offset, textOffset)
        (named.isOfApp, named.file, named.line) = (isOfApp, file, line)
        return named
    }
}
