// Writes the first inputs of the fuzzer into a folder: the known texts as they are, the same texts as reports, and forms that they
// do not contain.
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 5 else {
    print("usage: message-seeds MESSAGES.jsonl GROUPING.jsonl FRAMES.jsonl FOLDER")
    exit(64)
}
let folder = URL(filePath: arguments[4])

func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
}

for (file, name) in [(arguments[1], "message"), (arguments[2], "grouping")] {
    let lines = try String(contentsOf: URL(filePath: file), encoding: .utf8).split(separator: "\n")
    for (number, line) in lines.enumerated() {
        // Each line is a report too.
        try write("\(name)-\(number)-json", String(line))
        guard let vector = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let message = vector["message"] as? String
        else { continue }
        try write("\(name)-\(number)", message)
    }
    try write("\(name)-lines", lines.joined(separator: "\n"))
    try write("\(name)-array", "[\(lines.joined(separator: ","))]")
}

// Each call frame as a stack, and behind a text.
let frames = try String(contentsOf: URL(filePath: arguments[3]), encoding: .utf8).split(separator: "\n")
for (number, line) in frames.enumerated() {
    guard let vector = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let stack = vector["stack"] as? [String] ?? (vector["text"] as? String).map({ [$0, $0] })
    else { continue }
    let report = try JSONSerialization.data(withJSONObject: [
        "class": "A", "stack": stack.map { String($0.prefix(500)) },
    ])
    try report.write(to: folder.appending(path: "frames-\(number)-json"))
    try write("frames-\(number)", (["VIEW STILL IN MEMORY <A: 0x1f>"] + stack).joined(separator: "\n"))
}

for (number, make) in (PrivatePlaces.messages + PrivatePlaces.cutMessages).enumerated() {
    try write("private-\(number)", make("it's \"5%\" \\n <b>"))
}
for (number, make) in PrivatePlaces.names.enumerated() { try write("name-\(number)", make("Jane")) }

let full = """
    {"type":"freed","id":"01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a90","at":"2026-11-20T12:00:00.123Z","kind":"view",
    "class":"Shop.Cart","stack":["UINavigationController","Shop.Cart"],"children":["Shop.A"],
    "cycle":["Shop.Cart.onPaid","closure","__NSArrayM"],"reason":"dismissed","waited_ms":1000,"alive":3,"lived_ms":9,
    "count":2,"message":"LEAKED VIEW DEINITED <Shop.Cart: 0x1f>\\n\\nDeinited after 8.912s.",
    "error":{"domain":"d","code":8,"userInfo":{"NSLocalizedDescription":"\\u4e2d\\ud83d\\ude00","n":1e3}},
    "keys":{"tab":"cart","ab":2.5,"on":true},"log":["opened"],"fingerprint":["a","b"],
    "app":{"id":"a","module":"Shop","version":"5.2.0","build":"812"},"device":{"os":"iOS","os_version":"19","model":"m"},
    "install":"i","user":"u"}
    """
try write("report", full)
// An event of a Sentry SDK.
let event = """
    {"event_id":"12c2d058d58442709aa2eca08bf20986","timestamp":1795176000.5,"level":"error","release":"a.b@1+2",
    "contexts":{"leak":{"kind":"view","count":2},"os":{"name":"iOS"},"user info":{"NSLocalizedDescription":"x"}},
    "exception":{"values":[{"type":"E","value":"Code: 8","mechanism":{"type":"NSError","meta":{"ns_error":{"domain":"d",
    "code":8}}},"stacktrace":{"frames":[{"function":"f","module":"m","in_app":true},{"instruction_addr":"0x1f"}]}}]},
    "debug_meta":{"images":[{"image_addr":"0x10","image_size":64,"code_file":"/a/b.dylib"}]},"tags":[["leak.kind","x"]],
    "fingerprint":["{{ default }}","x"],"breadcrumbs":[{"category":"ui","message":"tap"}],"user":{"id":"i"}}
    """.replacing("\n", with: "")
try write("sentry-event", event)
try write(
    "sentry-envelope",
    """
    {"event_id":"12c2d058d58442709aa2eca08bf20986"}
    {"type":"attachment","length":3}
    a\nb
    {"type":"client_report"}
    {"discarded_events":[{"reason":"queue_overflow","category":"error","quantity":3}]}
    {"type":"event"}
    \(event)
    """)
// Long inputs, which take longer if any byte is read twice.
let reports = repeatElement(full, count: 70).joined(separator: ",")
try write("long-batch", "{\"app\":{\"id\":\"a\"},\"reports\":[\(reports)]}")
let line = #"{"message":"Expected deallocation of <UILabel: 0x1f; text = 'Jane'>"}"#
try write("long-lines", repeatElement(line, count: 600).joined(separator: "\n"))
for (number, part) in [
    "<", "<A: 0x1f> ", "'", "\"it's\" ", "<A<B: 0x2f; text = 'x'>", "(", "\n📄 <A: 0x1f>", "Fatal error: ",
    "\\U4e2d", "\n0 A 0x104f85eb0 f() + 1", "\n1 A 0x104f85eb0 (extension in A):<((", "\nat a.b(c:1:2)",
].enumerated() {
    // The maximum length of a message, and of a body.
    let text = "Leak of \(String(repeating: part, count: 8_160 / part.utf8.count))"
    try write("long-message-\(number)", text)
    try write("long-text-\(number)", repeatElement(text, count: 7).joined())
}
let elements = repeatElement("\"-> _a -> A \", <B: 0x2f>, .c(\"D\")", count: 200).joined(separator: ",\n")
for head in ["Memory Leak", "Retain Cycle"] { try write("long-\(head)", "\(head): (\n\(elements)\n)") }
try write("long-nesting", String(repeating: "[", count: 60_000))
try write("long-string", "{\"keys\":{\"k\":\"\(String(repeating: "\\u4e2d", count: 10_000))\"}}")
try write(
    "batch",
    #"{"app":{"id":"a","module":"M"},"sent_at":5,"sessions":[{"id":"s","started_at":"2026-11-20T12:00:05+01:00","checks":9,"leaks":1}],"checks":[{"class":"_TtC1M1A","count":4}],"dropped":{"budget":3},"reports":[\#(full)]}"#
)
for (number, name) in [
    "s5MyApp13FooControllerC", "s5MyApp8SecretVC33_9B7A0F1E2D3C4B5A69788796A5B4C3D2LLC",
    "s7SwiftUI19UIHostingControllerCyAA15ModifiedContentVyAA7AnyViewVAA12RootModifierVGG",
    "sSDySDySSSSGAAGABGD", "s5MyApp0B8DelegateC3FooV0aB3Bar0CBazVLLC", "sSiSg_SStSgMa",
    "C5MyApp13FooController",
    "GC5MyApp3GenGVs10DictionarySSGSqCS_3Top___", "P1M1aES_CS_1aES0_CS0_1a_",
    "CF5MyApp9makeLocalFT_P_L_5Local",
    "(extension in M):A<B>.C", "A.(B in _9B7A).(unknown context at $1f).C",
    "NSKVONotifying_GUL__TtC1M1A_Aspects_",
    "nominal type descriptor for Optional(\"A\")",
].enumerated() {
    try write("mangled-\(number)", name)
}
