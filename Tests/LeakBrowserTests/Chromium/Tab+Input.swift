extension Tab {
    /// Clicks in the middle of the first element that a selector finds, as a mouse does.
    ///
    /// - Throws: if no element matches, if the element has no size, or if another element covers it.
    func click(_ selector: String) async throws {
        try await click(found: "document.querySelector(\(Self.quoted(selector)))", words: selector)
    }

    /// Clicks the first link, button or `summary` with the given text.
    func click(words: String) async throws {
        try await click(
            found: """
                [...document.querySelectorAll('a, button, summary, [role=button]')]
                    .find(it => it.textContent.replace(/\\s+/g, ' ').trim() === \(Self.quoted(words)))
                """, words: words)
    }

    private func click(found expression: String, words: String) async throws {
        let place = try await evaluate(
            """
            (() => {
                const it = \(expression);
                if (!it) return 'is not there';
                it.scrollIntoView({block: 'center', behavior: 'instant'});
                const box = it.getClientRects()[0];
                if (!box || !box.width || !box.height) return 'has no size';
                const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
                const top = document.elementFromPoint(x, y);
                if (!top || !(it.contains(top) || top.contains(it))) return 'lies under ' + top?.outerHTML;
                return {x, y};
            })()
            """)
        guard place["x"].number != nil else {
            throw Failure(description: "“\(words)” \(place.text ?? "")")
        }
        for type: JSON in ["mousePressed", "mouseReleased"] {
            try await call(
                "Input.dispatchMouseEvent",
                ["type": type, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1])
        }
    }

    /// Types into the first element that a selector finds and replaces its contents.
    func type(_ text: String, into selector: String) async throws {
        _ = try await evaluate(
            "{ const it = document.querySelector(\(Self.quoted(selector))); it.focus(); it.select?.() }")
        try await call("Input.insertText", ["text": JSON(text)])
    }

    /// Chooses an option of a `select` by the value that the form sends for it.
    func choose(_ value: String, in selector: String) async throws {
        let chosen = try await evaluate(
            """
            (() => {
                const it = document.querySelector(\(Self.quoted(selector)));
                it.value = \(Self.quoted(value));
                it.dispatchEvent(new Event('change', {bubbles: true}));
                return it.value;
            })()
            """)
        guard chosen.text == value else {
            throw Failure(description: "\(selector) has no option “\(value)”")
        }
    }

    /// Opens all `details` elements of the page.
    func unfold() async throws {
        _ = try await evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")
    }

    /// Presses and releases a key: a letter, `Enter`, `Tab`, `Escape`, `ArrowDown`.
    func press(_ key: String) async throws {
        let codes = ["Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40]
        let isLetter = key.count == 1
        var event: [String: JSON] = [
            "key": JSON(key), "code": JSON(isLetter ? "Key\(key.uppercased())" : key),
            "windowsVirtualKeyCode": JSON(codes[key] ?? Int(key.uppercased().utf8.first ?? 0)),
        ]
        if isLetter { event["text"] = JSON(key) }
        if key == "Enter" { event["text"] = "\r" }
        event["type"] = "keyDown"
        try await call("Input.dispatchKeyEvent", .object(event))
        event["text"] = nil
        event["type"] = "keyUp"
        try await call("Input.dispatchKeyEvent", .object(event))
    }

    /// Returns a text as a literal of JavaScript.
    static func quoted(_ text: String) -> String {
        // Every literal of JSON is a literal of JavaScript: https://tc39.es/proposal-json-superset/
        let bytes = try? JSON(text).bytes
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? "''"
    }
}
