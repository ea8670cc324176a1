/// The types of the standard library that are read by their own rules, recognized by their descriptors.
struct StandardTypes {
    let arrayStorageDescriptor: UInt
    let dictionaryStorageDescriptor: UInt
    let setStorageDescriptor: UInt
    let stringDescriptor: UInt
    let managedBufferDescriptor: UInt
    /// The descriptor of `InlineArray`; 0 if the system does not have the type.
    let inlineArrayDescriptor: UInt
    /// Structs that only wrap storage: their own properties do not show in a path.
    let wrappers: Set<UInt>
    /// The `wrappers` whose storage holds references only if their type arguments do.
    let containers: Set<UInt>

    init() {
        // The value depends on the run, because the compiler would put constant values into static storage, which has other
        // classes.
        let number = CommandLine.arguments.count &+ 1
        func descriptor(_ object: AnyObject) -> UInt { Metadata(type(of: object)).descriptor }
        arrayStorageDescriptor = unsafe descriptor(unsafeBitCast([number, number], to: AnyObject.self))
        dictionaryStorageDescriptor = unsafe descriptor(unsafeBitCast([number: number], to: AnyObject.self))
        setStorageDescriptor = unsafe descriptor(unsafeBitCast(Set([number]), to: AnyObject.self))
        stringDescriptor = Metadata(String.self).descriptor
        managedBufferDescriptor = Metadata(ManagedBuffer<Int, Int>.self).descriptor
        if #available(iOS 26, tvOS 26, macOS 26, visionOS 26, *) {
            inlineArrayDescriptor = Metadata(InlineArray<1, Int>.self).descriptor
        } else {
            inlineArrayDescriptor = 0
        }
        let containers: [Any.Type] = [
            [Int].self, ContiguousArray<Int>.self, ArraySlice<Int>.self, [Int: Int].self, Set<Int>.self,
        ]
        self.containers = Set(containers.map { Metadata($0).descriptor })
        var wrappers = self.containers
        if #available(iOS 13, tvOS 13, macOS 10.15, *) {
            wrappers.insert(Metadata(Task<Void, Never>.self).descriptor)
        }
        self.wrappers = wrappers
    }
}
