import LoadTools

/// The load of every figure: 1,000 leaks whose frequencies follow Zipf's law, 50,000 installs of 12 versions, 40 models
/// and 20 systems in equal parts, reports of about 559 bytes with `count` 1.
///
/// wrk puts each request together from a sender and the reports of a body, so that all requests differ.
struct Load {
    static let leaks = 1_000
    static let installs = 50_000
    static let versions = 12
    static let models = 40
    static let systems = 20
    static let reportBytes = 559

    static var summary: String {
        "\(leaks) leaks (Zipf), \(installs) installs of \(versions) versions, \(models) models and \(systems) systems, "
            + "\(reportBytes)-byte reports, an Idempotency-Key for each request"
    }

    /// Frames of the call stack that each report has instead of a path of owners; 0 for the path.
    private let frames: Int

    private var generator = SplitMix64(state: 20_261_121)
    private let frequencies = Zipf(ranks: Self.leaks)

    init(frames: Int = 0) { self.frames = frames }

    /// Returns the fields for app, device and install of a batch or report, without braces. Their number of bytes is the same
    /// for each install.
    mutating func sender(install: Int) -> String {
        let version = Int(generator.next() % UInt64(Self.versions))
        let model = Int(generator.next() % UInt64(Self.models))
        let system = Int(generator.next() % UInt64(Self.systems))
        let number = String(install + 100_000)
        let (name, build) = ("5.\(version + 10).0", version + 800)
        let app = #""id":"com.acme.shop","module":"Shop","version":"\#(name)","build":"\#(build)""#
        let systemVersion = "\(17 + system / 10).\(system % 10)"
        let device = #""os":"iOS","os_version":"\#(systemVersion)","model":"iPhone\#(model + 10),1""#
        return #""app":{\#(app)},"device":{\#(device)},"install":"6b8d4c1f-2a90-4e4b-9d0e-000000\#(number)""#
    }

    /// Returns the part of a body after the sender, with the closing brace.
    ///
    /// - Parameter count: the number of reports. 1 makes a single report, a greater number makes a batch.
    mutating func reports(_ count: Int, senderBytes: Int) -> String {
        if count == 1 { return "," + report(besides: senderBytes + 2) + "}" }
        let reports = (0..<count).map { _ in "{" + report(besides: 2) + "}" }
        return #","reports":[\#(reports.joined(separator: ","))]}"#
    }

    /// Returns the elements of a stack as JSON: a path of owners, or a call stack in the form of `Thread.callStackSymbols`,
    /// with the addresses of one launch. Two of three frames are functions of the app. Their names depend on the rank of the
    /// leak.
    private mutating func stack(of name: String, rank: Int) -> String {
        guard frames > 0 else { return #""UINavigationController","Shop.Flow\#(rank % 7)","\#(name)""# }
        let slide = 0x1_0000_0000 + (generator.next() % 0x10000) << 14
        return (0..<frames).map { number in
            let address = String(slide + UInt64(number) * 0x1234, radix: 16)
            let padded = String(repeating: "0", count: 16 - address.count) + address
            return number % 3 == 0
                ? #""\#(number)   UIKitCore    0x\#(padded) -[UIViewController loadViewIfRequired] + 712""#
                : #""\#(number)   Shop         0x\#(padded) $s4Shop9CartModelC5step\#(10 + number + rank % 40)yyF + \#(number * 8)""#
        }.joined(separator: ",")
    }

    /// Returns the fields of one report, which has ``reportBytes`` bytes together with `otherBytes`, or more with a call stack.
    private mutating func report(besides otherBytes: Int) -> String {
        let rank = frequencies.rank(fromRandomBits: generator.next())
        let name = "Shop.Screen\(rank)ViewController"
        let address = String(generator.next() >> 16, radix: 16)
        let id = "01936f2c-7c1e-7a44-9d0e-\(String(generator.next() >> 16 | 1 << 47, radix: 16).prefix(12))"
        var text = #""type":"leak","id":"\#(id)","kind":"view_controller","class":"\#(name)","#
        text += #""stack":[\#(stack(of: name, rank: rank))],"reason":"dismissed","#
        text += #""waited_ms":1000,"alive":\#(rank % 4 + 1),"count":1,"#
        text += #""message":"VIEWCONTROLLER STILL IN MEMORY <\#(name): 0x\#(address)>","#
        text += #""keys":{"tab":"cart","ab_test":2},"log":["opened cart","tapped pay""#
        let missing = Self.reportBytes - text.utf8.count - otherBytes - 4
        if missing > 0 { text += ",\"" + String(repeating: "x", count: missing) + "\"" }
        return text + "]"
    }
}
