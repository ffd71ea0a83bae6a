//! Lines in the server's log.

use std::ffi::CString;
use std::ptr;

use redis_module::raw::RedisModuleCtx;

/// Logs a text as one line with the level `warning`; without a context, under the name `module`.
pub fn warning(ctx: *mut RedisModuleCtx, line: &str) {
    let line: Vec<u8> = line
        .bytes()
        .filter(|&b| b != 0)
        .map(|b| if b == b'\n' { b' ' } else { b })
        .collect();
    if let Ok(line) = CString::new(line) {
        // SAFETY: `%s` takes the one C string that follows.
        unsafe {
            api!(RedisModule_Log(
                ctx,
                c"warning".as_ptr(),
                c"%s".as_ptr(),
                line.as_ptr()
            ))
        }
    }
}

/// [`warning`] without a context.
pub fn warning_anywhere(line: &str) {
    warning(ptr::null_mut(), line);
}
