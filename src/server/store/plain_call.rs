//! The replies of plain commands that the module calls.

use redis_module::raw::{self, RedisModuleCallReply};

use crate::server::ServerString;

/// The reply to a call of a plain command.
pub struct CallReply(*mut RedisModuleCallReply);

// In all of these `self.0` is a reply that is ours and not freed yet.
impl CallReply {
    /// # Safety
    /// The reply must be ours to free.
    pub unsafe fn from_raw(reply: *mut RedisModuleCallReply) -> CallReply {
        CallReply(reply)
    }

    pub fn is_error(&self) -> bool {
        // SAFETY: see above.
        let kind = unsafe { api!(RedisModule_CallReplyType(self.0)) };
        kind as isize == raw::REDISMODULE_REPLY_ERROR
    }

    /// The text of an error reply.
    pub fn error(&self) -> Option<Vec<u8>> {
        // SAFETY: see above; the text of an error is read like a string.
        let text = unsafe { self.is_error().then(|| string(self.0)) };
        Some(text?.map_or_else(Vec::new, |text| text.as_bytes().to_vec()))
    }

    /// The number in the reply; 0 for any other reply.
    pub fn integer(&self) -> i64 {
        // SAFETY: see above.
        unsafe {
            let kind = api!(RedisModule_CallReplyType(self.0));
            match kind as isize {
                raw::REDISMODULE_REPLY_INTEGER => api!(RedisModule_CallReplyInteger(self.0)),
                _ => 0,
            }
        }
    }

    /// The text in the reply; nothing for any other reply.
    pub fn text(&self) -> String {
        // SAFETY: see above.
        let text = unsafe { string(self.0) };
        text.map_or_else(String::new, |text| lossy(&text))
    }

    /// The texts of a list in the reply.
    pub fn texts(&self) -> Vec<String> {
        self.list().iter().flatten().map(lossy).collect()
    }

    /// The strings in the reply.
    pub fn list(&self) -> Vec<Option<ServerString>> {
        // SAFETY: see above. An element belongs to its list.
        unsafe { elements(self.0).map(|element| string(element)).collect() }
    }

    /// The texts of each list in the reply.
    pub fn lists(&self) -> Vec<Vec<String>> {
        // SAFETY: see above. An element belongs to its list.
        unsafe {
            let texts = |list| elements(list).filter_map(|element| string(element));
            let texts = |list| texts(list).map(|text| lossy(&text)).collect();
            elements(self.0).map(texts).collect()
        }
    }
}

/// The elements of a list.
///
/// # Safety
/// The reply must be live, for as long as the elements are used.
unsafe fn elements(
    list: *mut RedisModuleCallReply,
) -> impl Iterator<Item = *mut RedisModuleCallReply> {
    // SAFETY: the caller vouches for it.
    unsafe {
        let len = api!(RedisModule_CallReplyLength(list));
        (0..len).map(move |index| api!(RedisModule_CallReplyArrayElement(list, index)))
    }
}

fn lossy(text: &ServerString) -> String {
    String::from_utf8_lossy(text.as_bytes()).into_owned()
}

/// # Safety
/// The reply must be null or live.
unsafe fn string(reply: *mut RedisModuleCallReply) -> Option<ServerString> {
    let mut len = 0;
    // SAFETY: the bytes live as long as the reply, and the server copies them.
    unsafe {
        if reply.is_null() {
            return None;
        }
        let start = api!(RedisModule_CallReplyStringPtr(reply, &mut len));
        (!start.is_null()).then(|| ServerString::new(std::slice::from_raw_parts(start.cast(), len)))
    }
}

impl Drop for CallReply {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nothing uses it any more.
        unsafe { api!(RedisModule_FreeCallReply(self.0)) }
    }
}
