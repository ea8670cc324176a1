import Foundation

// An app that uses Foundation as most apps do, and reports nothing.

let error = NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: "plain"])
let json = try JSONSerialization.data(withJSONObject: [
    "error": error.localizedDescription, "at": Date().description,
])
FileHandle.standardOutput.write(json)
