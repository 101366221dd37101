Insert into ATLAS_PANDA.RETRYERRORS (RETRYERROR_ID,ERRORSOURCE,ERRORCODE,RETRYACTION,PARAMETERS,ARCHITECTURE,RELEASE,WORKQUEUE_ID,DESCRIPTION,EXPIRATION_DATE,ACTIVE,ERRORDIAG)
values (ATLAS_PANDA.RETRYERRORS_ID_SEQ.nextval,'exeErrorCode',65,3,'maxAttempt=2',null,null,null,null,null,'N','.*IncludeError: include file .* can not be found.*');
--rollback;
--commit;
