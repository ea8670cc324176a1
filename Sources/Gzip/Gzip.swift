internal import CZlib

public enum GzipError: Error { case tooLarge, malformed }

public enum Gzip {
    public static func deflate(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        var stream = unsafe z_stream()
        _ = unsafe deflateInit2_(
            &stream, Int32(level), Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(bytes.count))))
        let total = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = uInt(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = uInt(target.count)
                _ = unsafe CZlib.deflate(&stream, Z_FINISH)
                return unsafe Int(stream.total_out)
            }
        }
        unsafe deflateEnd(&stream)
        return Array(output[..<total])
    }

    public static func inflate(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) throws(GzipError) -> [UInt8] {
        var stream = unsafe z_stream()
        _ = unsafe inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { unsafe inflateEnd(&stream) }
        var output: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65536)
        unsafe stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        unsafe stream.avail_in = uInt(bytes.count)
        while true {
            let (code, count) = unsafe block.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = uInt(target.count)
                let code = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
                return unsafe (code, target.count - Int(stream.avail_out))
            }
            output += block[..<count]
            if output.count > limit { throw .tooLarge }
            if code == Z_STREAM_END {
                guard unsafe stream.avail_in == 0 else { throw .malformed }
                return output
            }
            guard code == Z_OK, unsafe (count > 0 || stream.avail_in > 0) else { throw .malformed }
        }
    }
}
