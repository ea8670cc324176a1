import Foundation

// Measures the cost of the leak detector for an app, and checks its counts under load.

let usage = """
    usage: detector-bench [--rounds 7] [--seconds 5]
           detector-bench --soak [--objects 1000000] [--leaks 1000] [--threads 8] [--any-memory]
           detector-bench --assert

    Tells what LeakDetector.expectDeallocation costs per object beside one DispatchQueue.asyncAfter per object, and how
    often the process wakes while there is nothing to look at, over so many seconds each.

    --soak lets threads expect that many objects and let go of all but the leaks, then of these. It ends with 1 when
    another number than these was reported, one was reported twice or another object than these, an expectation was
    dropped, or memory did not come back. --any-memory leaves memory out, as under a sanitizer, which keeps what is
    freed. Linux with glibc alone.

    --assert leaks an object in the mode that stops the process, which then does not end with 0.
    """

func fail(_ text: String, code: Int32) -> Never {
    Progress.clear()
    FileHandle.standardError.write(Data("detector-bench: \(text)\n".utf8))
    exit(code)
}

var numbers = ["--rounds": 7, "--seconds": 5, "--objects": 1_000_000, "--leaks": 1_000, "--threads": 8]
var isSoak = false
var looksAtMemory = true
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--help", "-h":
        print(usage)
        exit(0)
    case "--soak": isSoak = true
    case "--any-memory": looksAtMemory = false
    case "--assert": Assertion.run()
    case let name where numbers[name] != nil:
        guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else {
            fail("\(name) needs a number above zero\n\(usage)", code: 2)
        }
        numbers[name] = number
    default: fail("\(argument) is unknown\n\(usage)", code: 2)
    }
}
@MainActor func number(_ name: String) -> Int { numbers[name] ?? 0 }

guard !looksAtMemory || (Usage.heap > 0 && Usage.settledMemory.resident > 0) else {
    fail("it reads /proc and asks glibc's malloc, which this system has not", code: 2)
}
if isSoak {
    guard number("--leaks") <= number("--objects"), number("--threads") <= number("--objects") else {
        fail("--leaks and --threads can be no more than --objects", code: 2)
    }
    guard number("--threads") <= Soak.mostThreads else {
        fail("--threads can be no more than \(Soak.mostThreads)", code: 2)
    }
    let plan = Plan(objects: number("--objects"), leaks: number("--leaks"))
    let soak = Soak(plan: plan, threads: number("--threads"), looksAtMemory: looksAtMemory)
    let failures = soak.run()
    for failure in failures { print("failed: \(failure)") }
    exit(failures.isEmpty ? 0 : 1)
}
Idle.measure(seconds: number("--seconds"))
print()
Costs.measure(rounds: number("--rounds"))
