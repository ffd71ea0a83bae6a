//! Memory from the server, so that `used_memory` and `maxmemory` count what the module takes.

use std::alloc::{GlobalAlloc, Layout, System};

use redis_module::raw;

/// The server's allocator; the system's where there is no server, as in tests and benchmarks.
struct ServerAlloc;

#[global_allocator]
static ALLOCATOR: ServerAlloc = ServerAlloc;

/// The alignment of the server's allocator for blocks whose size is a multiple of it. It may align
/// blocks of other sizes to only 8 bytes.
const ALIGNMENT: usize = 16;

/// The size to request from the server, so that the block has the alignment of the layout.
fn rounded(size: usize, layout: Layout) -> usize {
    size.next_multiple_of(layout.align())
}

// SAFETY: which of the two allocators serves a layout never changes: the server's functions are set
// before the module's first allocation, and never unset. Both keep the contract of `GlobalAlloc`
// for alignments up to `ALIGNMENT`; larger ones always go to the system.
unsafe impl GlobalAlloc for ServerAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe {
            match raw::RedisModule_Alloc {
                Some(alloc) if layout.align() <= ALIGNMENT => {
                    alloc(rounded(layout.size(), layout)).cast()
                }
                _ => System.alloc(layout),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe {
            match raw::RedisModule_Calloc {
                Some(calloc) if layout.align() <= ALIGNMENT => {
                    calloc(1, rounded(layout.size(), layout)).cast()
                }
                _ => System.alloc_zeroed(layout),
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` comes from the allocator that serves `layout`.
        unsafe {
            match raw::RedisModule_Free {
                Some(free) if layout.align() <= ALIGNMENT => free(block.cast()),
                _ => System.dealloc(block, layout),
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`; the alignment stays the same.
        unsafe {
            match raw::RedisModule_Realloc {
                Some(realloc) if layout.align() <= ALIGNMENT => {
                    realloc(block.cast(), rounded(size, layout)).cast()
                }
                _ => System.realloc(block, layout, size),
            }
        }
    }
}
