export { checkUrl, isListedHost, type UrlPolicy } from "./check-url.ts";
export {
  createDownloads,
  type Download,
  type DownloadPolicy,
  type DownloadRequest,
  type Downloads,
} from "./downloads.ts";
export { AttachmentError, type AttachmentErrorCode } from "./errors.ts";
export type { AddressGuard } from "./guarded-connector.ts";
export { isPublicAddress } from "./is-public-address.ts";
