//! The functions of the module API. Each server provides a different set of them.

/// Calls a function of the server. The caller vouches for the arguments, so use this only inside
/// `unsafe`.
macro_rules! api {
    ($name:ident($($argument:expr),* $(,)?)) => {
        match ::redis_module::raw::$name {
            Some(function) => function($($argument),*),
            None => $crate::server::api::missing(stringify!($name)),
        }
    };
}

macro_rules! required {
    ($($name:ident,)*) => {
        /// The first required function that the server lacks, if any.
        pub fn first_missing() -> Option<&'static str> {
            // SAFETY: the server sets these once, while the module is loaded, before this is called.
            let functions = unsafe {
                [$((stringify!($name), {
                    let function = ::redis_module::raw::$name;
                    function.is_some()
                }),)*]
            };
            functions.iter().find(|(_, there)| !there).map(|(name, _)| *name)
        }
    };
}

// Redis 7.0 has all of these. Newer functions are looked up where they are used.
required! {
    RedisModule_Alloc,
    RedisModule_Realloc,
    RedisModule_Calloc,
    RedisModule_Free,
    RedisModule_CreateCommand,
    RedisModule_GetCommand,
    RedisModule_SetCommandInfo,
    RedisModule_IsKeysPositionRequest,
    RedisModule_KeyAtPosWithFlags,
    RedisModule_SetModuleOptions,
    RedisModule_RegisterNumericConfig,
    RedisModule_RegisterStringConfig,
    RedisModule_RegisterEnumConfig,
    RedisModule_LoadConfigs,
    RedisModule_RegisterInfoFunc,
    RedisModule_InfoAddSection,
    RedisModule_InfoAddFieldCString,
    RedisModule_InfoAddFieldULongLong,
    RedisModule_Log,
    RedisModule_CreateString,
    RedisModule_FreeString,
    RedisModule_StringPtrLen,
    RedisModule_Milliseconds,
    RedisModule_GetContextFlags,
    RedisModule_AvoidReplicaTraffic,
    RedisModule_OpenKey,
    RedisModule_CloseKey,
    RedisModule_KeyType,
    RedisModule_ValueLength,
    RedisModule_ScanKey,
    RedisModule_ScanCursorCreate,
    RedisModule_ScanCursorDestroy,
    RedisModule_StringDMA,
    RedisModule_StringTruncate,
    RedisModule_StringSet,
    RedisModule_DeleteKey,
    RedisModule_GetSelectedDb,
    RedisModule_SelectDb,
    RedisModule_GetAbsExpire,
    RedisModule_SetAbsExpire,
    RedisModule_HashGet,
    RedisModule_Replicate,
    RedisModule_ReplicateVerbatim,
    RedisModule_CreateDataType,
    RedisModule_SaveStringBuffer,
    RedisModule_LoadStringBuffer,
    RedisModule_SubscribeToServerEvent,
    RedisModule_SubscribeToKeyspaceEvents,
    RedisModule_CreateTimer,
    RedisModule_SignalModifiedKey,
    RedisModule_NotifyKeyspaceEvent,
    RedisModule_Call,
    RedisModule_CallReplyType,
    RedisModule_FreeCallReply,
    RedisModule_CallReplyInteger,
    RedisModule_CallReplyLength,
    RedisModule_CallReplyArrayElement,
    RedisModule_CallReplyStringPtr,
    RedisModule_ZsetFirstInScoreRange,
    RedisModule_ZsetRangeEndReached,
    RedisModule_ZsetRangeCurrentElement,
    RedisModule_ZsetRangeNext,
    RedisModule_ZsetRangeStop,
    RedisModule_HoldString,
    RedisModule_BlockClient,
    RedisModule_UnblockClient,
    RedisModule_SetDisconnectCallback,
    RedisModule_GetServerInfo,
    RedisModule_ServerInfoGetFieldC,
    RedisModule_GetUsedMemoryRatio,
    RedisModule_FreeServerInfo,
    RedisModule_GetBlockedClientPrivateData,
    RedisModule_BlockedClientMeasureTimeStart,
    RedisModule_BlockedClientMeasureTimeEnd,
    RedisModule_GetClientId,
    RedisModule_GetClientInfoById,
    RedisModule_GetCurrentUserName,
    RedisModule_GetModuleUserFromUserName,
    RedisModule_FreeModuleUser,
    RedisModule_ACLCheckKeyPermissions,
    RedisModule_ACLCheckCommandPermissions,
    RedisModule_ACLAddLogEntry,
    RedisModule_ReplyWithError,
    RedisModule_ReplyWithLongLong,
    RedisModule_ReplyWithStringBuffer,
    RedisModule_ReplyWithNull,
    RedisModule_ReplyWithSimpleString,
    RedisModule_ReplyWithBool,
    RedisModule_ReplyWithArray,
    RedisModule_ReplyWithMap,
}

/// Unreachable after [`first_missing`] has found nothing; the entry guard treats it like any panic.
#[cold]
pub fn missing(name: &str) -> ! {
    panic!("the server lacks {name}")
}
