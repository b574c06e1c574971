export {
  type AttachDirective,
  AttachScanner,
  formatAttached,
  parseAttachDirective,
  type ScannedPart,
} from "./attach-scanner.ts";
export { type AttachmentBlocks, createAttachmentBlocks } from "./attachment-blocks.ts";
export { checkUrl, isListedHost, type UrlPolicy } from "./check-url.ts";
export {
  createDownloads,
  type Download,
  type DownloadPolicy,
  type DownloadRequest,
  type Downloads,
} from "./downloads.ts";
export { AttachmentError, type AttachmentErrorCode } from "./errors.ts";
export { createDenyList } from "./file-deny-list.ts";
export { type AddressGuard, createGuardedLookup } from "./guarded-connector.ts";
export { isPublicAddress } from "./is-public-address.ts";
export { type KeepPlace, keepOffered, type OpenedFile, openKeptFile } from "./kept-file.ts";
export {
  type AttachmentLimits,
  clampAttachmentLimits,
  DEFAULT_ATTACHMENT_LIMITS,
} from "./limits.ts";
export { type OfferedLink, offerContent } from "./offer-content.ts";
export {
  type Offer,
  OfferAllowance,
  type OfferedFile,
  type OfferPolicy,
  type OfferRefusal,
  offerFile,
} from "./offer-file.ts";
export { ownerPrefix } from "./owned-directory.ts";
export { formatRefusal, type SendRefusal } from "./refusal-words.ts";
export { MAX_NAME_BYTES, safeFileName } from "./safe-file-name.ts";
export { sweepFiles } from "./sweep-files.ts";
export { type IncomingFile, type IntakePlace, takeInAttachments } from "./take-in.ts";
