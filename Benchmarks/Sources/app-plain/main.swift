import Foundation

// An app that does what most do with Foundation, and reports nothing.

let error = NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: "plain"])
let json = try JSONSerialization.data(withJSONObject: [
    "error": error.localizedDescription, "at": Date().description,
])
FileHandle.standardOutput.write(json)
